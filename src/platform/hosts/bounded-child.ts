import type { Clock } from '../../base/lib/clock.ts'
import { deferred } from '../../base/lib/deferred.ts'
import type { CutOff, Exit, StopManner } from '../../base/lib/program-end.ts'
import { BehaviorSubject } from '../../base/lib/subject.ts'
import type { Child } from '../machine/child.ts'
import type { Link, RemoteChild } from './host.ts'

/**
 * How long `stop` waits for an unreachable machine, milliseconds. Iris finds out later whether the program has ended.
 */
const cutOffStopMs = 10_000
const lost: Exit = { code: null, signal: 'SIGKILL' }

/**
 * A program on another machine. The program's end is reported even if the machine does not come back, because the
 * supervisor there ends the program after `graceMs`. Before Iris starts anything there for the same conversation, Iris
 * looks for this program.
 */
export class BoundedChild implements Child {
  readonly status$: Child['status$']
  readonly errors$: Child['errors$']
  readonly #cutOff = new BehaviorSubject<CutOff | undefined>(undefined)
  readonly cutOff$ = this.#cutOff.asObservable()
  readonly exited: Promise<Exit>
  readonly #child: RemoteChild
  readonly #clock: Clock
  readonly #host: string
  readonly #given = deferred<Exit>()
  #stderr = ''

  /** `host`: the name of the program's machine. */
  constructor(child: RemoteChild, host: string, graceMs: number, clock: Clock) {
    this.#host = host
    this.#child = child
    this.#clock = clock
    this.status$ = child.status$
    this.errors$ = child.errors$
    this.exited = Promise.race([child.exited, this.#given.promise])
    let cancelTimer: (() => void) | undefined
    child.link$.subscribe((link) => {
      this.#cutOffBy(link)
      if (link.kind !== 'lost') {
        cancelTimer?.()
        cancelTimer = undefined
      } else {
        cancelTimer ??= clock.after(graceMs, () => this.#giveUp())
      }
    })
  }

  get pid(): number {
    return this.#child.pid
  }

  get caughtUp(): Promise<void> {
    return this.#child.caughtUp
  }

  get cutOff(): CutOff | undefined {
    return this.#cutOff.value
  }

  read(onChunk: (chunk: Buffer) => Promise<void> | undefined): void {
    this.#child.read(onChunk)
  }

  stderr(): string {
    return `${this.#child.stderr()}${this.#stderr}`
  }

  write(text: string, message?: string): Promise<void> {
    return this.#child.write(text, message)
  }

  async stop(manner: StopManner): Promise<Exit> {
    const stopped = this.#child.stop(manner)
    stopped.catch(() => {})
    const cancelTimer = this.#clock.after(cutOffStopMs, () => {
      if (this.cutOff !== undefined) this.#giveUp()
    })
    try {
      return await Promise.race([stopped, this.#given.promise])
    } finally {
      cancelTimer()
    }
  }

  #cutOffBy(link: Link): void {
    const since = link.kind === 'lost' ? link.since : undefined
    if (since === this.#cutOff.value?.since) return
    this.#cutOff.next(link.kind === 'lost' ? { host: this.#host, since: link.since, why: link.why } : undefined)
  }

  #giveUp(): void {
    this.#stderr = 'the machine cannot be reached\n'
    this.#given.resolve(lost)
    void this.#child.detach()
  }
}
