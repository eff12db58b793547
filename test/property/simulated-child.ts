import { BehaviorSubject, Subject } from 'rxjs'
import type { Exit, StopManner } from '../../src/base/lib/program-end.ts'
import type { Child, ChildStatus } from '../../src/platform/machine/child.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { Life, Time } from './time.ts'

const graceMs = { idle: 5000, busy: 5000, now: 0 } as const

/** A simulated process as its daemon sees it; ends it in the steps of src/platform/machine/local-child.ts. */
export class SimulatedChild implements Child {
  readonly pid: number
  readonly exited: Promise<Exit>
  readonly #process: SimulatedProcess
  readonly #daemon: Life
  readonly #time: Time
  readonly #status = new BehaviorSubject<ChildStatus>('running')
  readonly status$ = this.#status.asObservable()
  readonly errors$ = new Subject<Error>().asObservable()

  constructor(process: SimulatedProcess, daemon: Life, time: Time) {
    this.#process = process
    this.#daemon = daemon
    this.#time = time
    this.pid = process.pid
    this.exited = new Promise((resolve) => {
      process.onExit = (exit) => {
        this.#status.next('stopped')
        resolve(exit)
      }
    })
  }

  read(onChunk: (chunk: Buffer) => Promise<void> | undefined): void {
    this.#process.onOutput = (text) => void onChunk(Buffer.from(text))
  }

  stderr(): string {
    return this.#process.stderr
  }

  async write(text: string): Promise<void> {
    if (this.#daemon.hasEnded) return new Promise(() => {})
    if (!this.#process.isAlive) throw new Error('write EPIPE')
    this.#process.receive(text.trimEnd())
  }

  stop(manner: StopManner): Promise<Exit> {
    if (this.#status.value === 'running') this.#status.next('stopping')
    this.#ask(manner)
    return this.exited
  }

  #ask(manner: StopManner): void {
    if (!this.#process.isAlive || this.#daemon.hasEnded) return
    if (manner === 'idle') this.#process.endInput()
    else this.#process.signal(manner === 'busy' ? 'SIGTERM' : 'SIGKILL')
    if (manner === 'now') return
    const cancelTimer = this.#time
      .clock(this.#daemon)
      .after(graceMs[manner], () => this.#ask(manner === 'idle' ? 'busy' : 'now'))
    void this.exited.then(cancelTimer)
  }
}
