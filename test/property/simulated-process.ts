import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Exit } from '../../src/base/lib/program-end.ts'
import { configDirectory } from '../../src/claude/driver/environment.ts'
import type { Command } from '../../src/platform/machine/child.ts'
import { parseCommandLine } from '../fake-claude/command-line.ts'
import { FakeClaude } from '../fake-claude/fake-claude.ts'
import { openSession } from '../fake-claude/open-session.ts'
import type { OracleEntry, OracleEvent } from '../fake-claude/oracle-event.ts'
import type { Script } from '../fake-claude/script.ts'
import type { World } from '../fake-claude/world.ts'
import type { AgentMind } from './agent.ts'
import { Life, type Time } from './time.ts'

interface ProcessParts {
  readonly pid: number
  readonly command: Command
  readonly daemon: Life
  readonly time: Time
  readonly mind: AgentMind
  readonly flushDelayMs: number
  readonly contextWindow: number
  readonly newId: () => string
  readonly onTraffic: () => void
  readonly onEvent: (entry: OracleEntry) => void
  readonly onDying: () => void
  readonly onGone: () => void
}

/** From the start to the first line read. */
const startMs = 100

/** The fake claude as a process of virtual time: its pipes are strings, its files are real. */
export class SimulatedProcess {
  readonly #parts: ProcessParts
  /** Ends before the process does when that hangs. */
  readonly #life = new Life()
  readonly sessionId: string
  #fake: FakeClaude | undefined
  #isListening = false
  #isFrozen = false
  #input: (() => void)[] = []
  #output = ''
  #exit: Exit | undefined
  #diesAfterLines: number | undefined
  stderr = ''
  onOutput: (text: string) => void = () => {}
  onExit: (exit: Exit) => void = () => {}

  constructor(parts: ProcessParts) {
    this.#parts = parts
    const { resume, sessionId } = parseCommandLine(parts.command.args)
    this.sessionId = resume ?? sessionId ?? parts.newId()
  }

  get pid(): number {
    return this.#parts.pid
  }

  get daemon(): Life {
    return this.#parts.daemon
  }

  get isAlive(): boolean {
    return this.#exit === undefined
  }

  get fake(): FakeClaude | undefined {
    return this.#fake
  }

  begin(): void {
    const { command, flushDelayMs, contextWindow, mind, time } = this.#parts
    const script: Script = { flushDelayMs, contextWindow, rules: mind.rules }
    const session = openSession({
      world: this.#world(),
      commandLine: { ...parseCommandLine(command.args), sessionId: this.sessionId },
      script,
      bare: false,
    })
    if (session === undefined) return
    this.#fake = new FakeClaude(session)
    time.clock(this.#life).after(startMs, () => {
      this.#isListening = true
      for (const take of this.#input.splice(0)) take()
    })
  }

  /** A line from the daemon. */
  receive(line: string): void {
    // Said is said, also when it is not read any more.
    this.#parts.mind.told(line, this.pid)
    this.#take(() => {
      if (this.#fake) this.#parts.mind.hear(line, this.#fake.session)
      this.#fake?.receive(line)
    })
  }

  endInput(): void {
    this.#take(() => this.#fake?.endInput())
  }

  signal(name: 'SIGTERM' | 'SIGKILL'): void {
    if (name === 'SIGKILL') this.#gone({ code: null, signal: name })
    else if (!this.#isFrozen) {
      this.#parts.time.soon(`signal ${this.pid}`, () => {
        if (!this.isAlive || this.#isFrozen) return
        // Before it listens it has no handler.
        if (this.#isListening) this.#fake?.terminate()
        else this.#gone({ code: null, signal: name })
      })
    }
  }

  /** By a stranger, at any moment: what it has said it need not have written down. */
  kill(): void {
    this.#parts.onDying()
    this.signal('SIGKILL')
  }

  /** Killed when it has written so many more lines. */
  dieAfter(lines: number): void {
    if (lines === 0) this.kill()
    else this.#diesAfterLines = lines
  }

  #take(task: () => void): void {
    this.#parts.time.soon(`in ${this.pid}`, () => {
      if (!this.isAlive || this.#isFrozen) return
      this.#parts.onTraffic()
      if (!this.isAlive) return
      if (this.#isListening) task()
      else this.#input.push(task)
    })
  }

  #write(text: string): void {
    if (!this.isAlive || this.#isFrozen) return
    if (this.#output === '') this.#parts.time.soon(`out ${this.pid}`, () => this.#flush())
    this.#output += text
    this.#parts.mind.say(text, this.pid)
    if (this.#diesAfterLines === undefined) return
    this.#diesAfterLines -= 1
    if (this.#diesAfterLines <= 0) this.kill()
  }

  /** What was written before the end is still read. */
  #flush(): void {
    const text = this.#output
    this.#output = ''
    if (this.daemon.hasEnded) return
    this.#parts.onTraffic()
    if (!this.daemon.hasEnded) this.onOutput(text)
  }

  #gone(exit: Exit): void {
    if (!this.isAlive) return
    this.#exit = exit
    this.#life.end()
    this.#parts.onGone()
    this.#parts.time.soon(`out ${this.pid}`, () => {
      if (!this.daemon.hasEnded) this.onExit(exit)
    })
  }

  #world(): World {
    const { pid, command, time, newId, onEvent, mind } = this.#parts
    const slug = command.cwd.replace(/[^a-zA-Z0-9]/g, '-')
    const path = join(configDirectory(command.env), 'projects', slug, `${this.sessionId}.jsonl`)
    const clock = time.clock(this.#life)
    const whileAlive = (run: () => void): void => {
      if (this.isAlive && !this.#isFrozen) run()
    }
    return {
      clock,
      pid,
      cwd: command.cwd,
      newId,
      stdout: (bytes) => this.#write(String(bytes)),
      stderr: (text) => {
        this.stderr += text
      },
      transcript: {
        path,
        read: () => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
        append: (text) =>
          whileAlive(() => {
            mkdirSync(dirname(path), { recursive: true })
            appendFileSync(path, text)
          }),
      },
      agents: () => [],
      files: {
        exists: (name) => mind.fileExists(name, time.elapsed),
        append: (_, line) => whileAlive(() => mind.effect(line.trimEnd())),
        claim: () => true,
      },
      self: {
        exit: (code) => this.#gone({ code, signal: null }),
        kill: () => {
          this.#parts.onDying()
          this.signal('SIGKILL')
        },
        hang: () => {
          this.#parts.onDying()
          this.#isFrozen = true
          this.#life.end()
        },
        ignoreStdin: () => {},
        closeStdout: () => {},
        startOrphan: async () => {},
      },
      record: (event: OracleEvent) =>
        whileAlive(() => onEvent({ ...event, at: time.elapsed, pid, session: this.sessionId })),
    }
  }
}
