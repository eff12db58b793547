import { readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import type { z } from 'zod'
import type { Clock } from '../../base/lib/clock.ts'
import { LineSplitter } from '../../base/lib/line-splitter.ts'
import { safeParse } from '../../base/lib/safe-parse.ts'
import type { Child, Command, Isolation } from './child.ts'
import { Answer, type HelperRequest } from './helper-protocol.ts'
import type { System } from './machine.ts'
import { MachineError } from './machine-error.ts'
import { tagVariable } from './process-tag.ts'

/** Where a helper is started, and its isolation, which is that of its team's agents. */
export interface HelperPlace {
  readonly directory: string
  readonly isolation: Isolation | undefined
}

export interface HelperParts {
  readonly system: Pick<System, 'start'>
  readonly clock: Clock
  /** Called before a request to an idle helper. If the result differs from the last one, the helper is restarted. */
  readonly place: () => Promise<HelperPlace>
  /** Tags the helper and what it starts. */
  readonly tag: () => string
  /** Where to look for programs, mainly git. */
  readonly path: string
}

/** Enough for a start and a few runs of git on a busy machine; a longer request counts as hung. */
const answerWithinMs = 30_000
const restMs = 10_000
/** The longest answer is a diff of 1 MiB, which JSON may make six times as long. */
const longestLineBytes = 8 * 1024 * 1024
const heapMiB = 64
const stopping = 'Iris is stopping'

/**
 * A process that reads a team's project inside the isolation of its agents. The first request starts it, and it ends
 * when idle for a while. An agent in the same isolation may control it, so an answer that breaks the protocol ends it.
 */
export class Helper {
  readonly #parts: HelperParts
  #running: Running | undefined
  #starting: Promise<Running> | undefined
  #stopRest: () => void = () => {}
  #isOver = false

  constructor(parts: HelperParts) {
    this.#parts = parts
  }

  /** Rejects with a MachineError. Tries once more if the helper ended while it was working. */
  async ask<T extends z.ZodType>(request: HelperRequest, answer: T): Promise<z.output<T>> {
    try {
      return await this.#ask(request, answer)
    } catch (error) {
      if (!(error instanceof MachineError) || !error.mayRetry) throw error
      return this.#ask(request, answer)
    }
  }

  /** Ends the helper for good: later requests are refused. */
  async end(): Promise<void> {
    this.#isOver = true
    this.#stopRest()
    const running = await this.#starting?.catch(() => undefined)
    await (running ?? this.#running)?.end(stopping)
  }

  async #ask<T extends z.ZodType>(request: HelperRequest, answer: T): Promise<z.output<T>> {
    const running = await this.#awake()
    this.#stopRest()
    try {
      const value = safeParse(answer, await running.ask(request))
      if (value.success) return value.data
      const why = 'the helper that reads it gave an answer that Iris cannot read'
      await running.end(why)
      throw new MachineError(why)
    } finally {
      if (running.isIdle) this.#rest(running)
    }
  }

  #rest(running: Running): void {
    this.#stopRest()
    this.#stopRest = this.#parts.clock.after(restMs, () => void running.end('it has nothing to do'))
  }

  /** Starts one helper at a time: concurrent requests share it. */
  async #awake(): Promise<Running> {
    if (this.#isOver) throw new MachineError(stopping)
    const running = this.#running
    // A busy helper accepts further requests without another check of its place.
    if (running !== undefined && !running.isIdle && !running.hasEnded) return running
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined
    })
    return this.#starting
  }

  async #start(): Promise<Running> {
    const { system, clock } = this.#parts
    const place = await this.#parts.place().catch((error: unknown) => {
      throw new MachineError(`its isolation cannot be set up: ${reason(error)}`, { cause: error })
    })
    // A recreated directory has the same path, but a running helper remains in the old one.
    const facts = await stat(place.directory).catch(() => undefined)
    const key = JSON.stringify([place, facts && [facts.dev, facts.ino]])
    const old = this.#running
    if (old?.key === key && !old.hasEnded) return old
    void old?.end('its isolation has changed')
    const child = await system.start(this.#command(place)).catch((error: unknown) => {
      throw new MachineError('the helper that reads it cannot be started', { cause: error })
    })
    this.#running = new Running(child, key, clock)
    return this.#running
  }

  #command({ directory, isolation }: HelperPlace): Command {
    return {
      executable: process.execPath,
      args: [`--max-old-space-size=${heapMiB}`, '--input-type=module', '--eval', programText()],
      cwd: directory,
      // The helper gets no variables of the daemon or the team, because it starts nothing but git.
      env: { PATH: this.#parts.path, LC_ALL: 'C', [tagVariable]: this.#parts.tag() },
      ...(isolation && { isolation }),
    }
  }
}

/** One process of the helper, from its start to its end. */
class Running {
  /** Identifies its place: directory and isolation. */
  readonly key: string
  readonly #child: Child
  readonly #clock: Clock
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>()
  #last = 0
  #unfinishedBytes = 0
  #ended: string | undefined

  constructor(child: Child, key: string, clock: Clock) {
    this.key = key
    this.#child = child
    this.#clock = clock
    const lines = new LineSplitter({
      maxLineBytes: longestLineBytes,
      onLine: (line) => this.#take(line),
      onOversize: () => {},
    })
    child.read((chunk) => {
      if (!this.hasEnded) lines.push(chunk)
      // The splitter would not report a line that never ends.
      const end = chunk.lastIndexOf('\n')
      this.#unfinishedBytes = end === -1 ? this.#unfinishedBytes + chunk.length : chunk.length - end
      if (this.#unfinishedBytes > longestLineBytes) void this.end('the helper that reads it sent more than it may')
      return undefined
    })
    void child.exited.then(() => {
      this.#gone('the helper that reads it was ended', true)
      // Programs that git started may still be running.
      void child.stop('now')
    })
  }

  get isIdle(): boolean {
    return this.#asked.size === 0
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined
  }

  async ask(request: HelperRequest): Promise<unknown> {
    const id = ++this.#last
    const asked = Promise.withResolvers<unknown>()
    if (this.#ended !== undefined) throw new MachineError(this.#ended, { mayRetry: true })
    this.#asked.set(id, asked)
    const cancelDeadline = this.#clock.after(answerWithinMs, () => {
      void this.end(`the helper that reads it gave no answer within ${answerWithinMs / 1000} s`)
    })
    // If the write fails, the helper has ended, which is noticed elsewhere.
    this.#child.write(`${JSON.stringify({ id, ...request })}\n`).catch(() => {})
    return asked.promise.finally(cancelDeadline)
  }

  async end(why: string): Promise<void> {
    this.#gone(why, false)
    await this.#child.stop('now')
  }

  #take(line: string): void {
    const answer = safeParse(Answer, parsed(line))
    const asked = answer.success ? this.#asked.get(answer.data.id) : undefined
    if (!answer.success || asked === undefined)
      return void this.end('the helper that reads it sent an answer that was not requested')
    this.#asked.delete(answer.data.id)
    asked.resolve(answer.data.value)
  }

  #gone(why: string, mayRetry: boolean): void {
    this.#ended ??= why
    for (const [id, asked] of this.#asked) {
      this.#asked.delete(id)
      asked.reject(new MachineError(this.#ended, { mayRetry }))
    }
  }
}

function reason(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

let program: string | undefined

/**
 * The program in JavaScript: if the helper had to strip types itself, it would take twice as long to start and need 18
 * MiB more memory.
 */
function programText(): string {
  program ??= import.meta.url.endsWith('.ts')
    ? withoutTypes(readFileSync(new URL('helper-program.ts', import.meta.url), 'utf8'))
    : readFileSync(new URL('helper-program.js', import.meta.url), 'utf8')
  return program
}

/** Suppresses Node's warning that type stripping is experimental: in a checkout, all of Iris runs that way. */
function withoutTypes(text: string): string {
  const warn = process.emitWarning.bind(process)
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(text)
  } finally {
    process.emitWarning = warn
  }
}
