import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Clock } from '../../base/lib/clock.ts'
import type { Exit, StopManner } from '../../base/lib/program-end.ts'
import { BehaviorSubject, Subject } from '../../base/lib/subject.ts'
import type { Child, ChildStatus, Isolation } from './child.ts'
import { grandchild, signal, sweep } from './local-processes.ts'

const stderrKeptBytes = 64 * 1024
const graceMs = { idle: 5000, busy: 5000, now: 0 } as const
/** How long the program's descendants have to end on their own after it has ended. */
const descendantsGraceMs = 250

interface Started {
  /** The process tag of the child and of everything it starts. */
  readonly tag: string | undefined
  readonly isolation: Isolation | undefined
  readonly clock: Clock
  /** Called when the child and everything it started is gone. */
  readonly onGone: () => void
}

export class LocalChild implements Child {
  readonly pid: number
  readonly exited: Promise<Exit>
  readonly #process: ChildProcessWithoutNullStreams
  readonly #tag: string | undefined
  readonly #isShutIn: boolean
  readonly #clock: Clock
  readonly #onGone: () => void
  readonly #status = new BehaviorSubject<ChildStatus>('running')
  readonly #errors = new Subject<Error>()
  readonly status$ = this.#status.asObservable()
  readonly errors$ = this.#errors.asObservable()
  #stderr = Buffer.alloc(0)
  #gone: Promise<Exit> | undefined

  constructor(child: ChildProcessWithoutNullStreams, { tag, isolation, clock, onGone }: Started) {
    this.#process = child
    this.pid = child.pid!
    this.#tag = tag
    this.#isShutIn = isolation?.ownProcesses === true
    this.#clock = clock
    this.#onGone = onGone
    for (const fault of [child, child.stdin, child.stdout, child.stderr]) {
      fault.on('error', (error: Error) => this.#errors.next(error))
    }
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-stderrKeptBytes)
    })
    this.exited = this.#watchExit()
  }

  read(onChunk: (chunk: Buffer) => Promise<void> | undefined): void {
    const { stdout } = this.#process
    stdout.on('data', (chunk: Buffer) => {
      const busy = onChunk(chunk)
      if (busy === undefined) return
      stdout.pause()
      void busy.finally(() => stdout.resume())
    })
  }

  /** Calls `onChunk` for everything on stderr from now on. */
  readErrors(onChunk: (chunk: Buffer) => void): void {
    this.#process.stderr.on('data', onChunk)
  }

  stderr(): string {
    return this.#stderr.toString('utf8')
  }

  write(text: string): Promise<void> {
    const { stdin } = this.#process
    if (!stdin.writable) return Promise.reject(new Error('its stdin is closed'))
    return new Promise((resolve, reject) => {
      stdin.write(text, (error) => (error ? reject(error) : resolve()))
    })
  }

  stop(manner: StopManner): Promise<Exit> {
    if (this.#status.value === 'running') this.#status.next('stopping')
    this.#ask(manner)
    this.#gone ??= this.exited.then(async (exit) => {
      if (this.#tag !== undefined) await sweep(this.#tag, descendantsGraceMs, this.#clock)
      this.#onGone()
      return exit
    })
    return this.#gone
  }

  #ask(manner: StopManner): void {
    if (this.#hasExited) return
    if (manner === 'idle') this.#process.stdin.end()
    else if (manner === 'now') signal(this.pid, 'SIGKILL')
    // A SIGTERM to the isolating process would kill the program outright, so the program itself gets the signal.
    else signal((this.#isShutIn ? grandchild(this.pid) : undefined) ?? this.pid, 'SIGTERM')
    const harder = manner === 'idle' ? 'busy' : 'now'
    const cancelTimer = this.#clock.after(graceMs[manner], () => {
      if (manner !== 'now') this.#ask(harder)
    })
    void this.exited.then(cancelTimer)
  }

  get #hasExited(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null
  }

  /** `close` waits for the pipes, which a grandchild may keep open long after the program has died. */
  #watchExit(): Promise<Exit> {
    return new Promise((resolve) => {
      const finish = (code: number | null, signalName: NodeJS.Signals | null): void => {
        this.#status.next('stopped')
        this.#status.complete()
        this.#errors.complete()
        resolve({ code, signal: signalName })
      }
      this.#process.once('exit', (code, signalName) => {
        const cancelTimer = this.#clock.after(descendantsGraceMs, () => {
          this.#process.stdout.destroy()
          this.#process.stderr.destroy()
        })
        this.#process.once('close', () => {
          cancelTimer()
          finish(code, signalName)
        })
      })
    })
  }
}
