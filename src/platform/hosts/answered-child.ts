import type { Observable } from 'rxjs'
import type { Clock } from '../../base/lib/clock.ts'
import type { Exit, StopManner } from '../../base/lib/program-end.ts'
import type { ChildStatus } from '../machine/child.ts'
import type { HostChannel } from './host.ts'
import { hostFailure } from './host-failure.ts'

/** How much a login may print before the shell answers, in bytes. */
const maxNoise = 256 * 1024

/** A shell on another machine that must first answer a question. Output that precedes the answer is dropped. */
export class AnsweredChild implements HostChannel {
  readonly status$: Observable<ChildStatus>
  readonly errors$: Observable<Error>
  readonly exited: Promise<Exit>
  readonly #child: HostChannel
  readonly #clock: Clock
  readonly #typed: string
  /** Resolves once there is a reader. Until then, nothing is read beyond the chunk with the answer. */
  readonly #isRead = Promise.withResolvers<void>()
  #onChunk: ((chunk: Buffer) => Promise<void> | undefined) | undefined

  /** `typed`: the command with which a person would reach the machine, for remedies. */
  constructor(child: HostChannel, typed: string, clock: Clock) {
    this.#typed = typed
    this.#child = child
    this.#clock = clock
    this.status$ = child.status$
    this.errors$ = child.errors$
    this.exited = child.exited
  }

  get pid(): number {
    return this.#child.pid
  }

  /** Makes the shell print `word`. Rejects with HostFailure, or with an Error when the client has ended. */
  async expect(word: string, patienceMs: number): Promise<void> {
    const answered = Promise.withResolvers<void>()
    const cancelTimer = this.#clock.after(patienceMs, () => {
      answered.reject(hostFailure('no_answer', `no shell has answered within ${patienceMs} ms`, this.#typed))
    })
    const end = Buffer.from(`${word}\n`)
    let before = Buffer.alloc(0)
    let isOpen = false
    this.#child.read((chunk) => {
      if (isOpen) return this.#take(chunk)
      before = Buffer.concat([before, chunk])
      const at = before.indexOf(end)
      if (at >= 0) {
        isOpen = true
        const rest = before.subarray(at + end.length)
        answered.resolve()
        return rest.length > 0 ? this.#take(rest) : undefined
      }
      if (before.length > maxNoise) {
        answered.reject(hostFailure('no_shell', 'what answers is not a shell, or its output never ends', this.#typed))
        before = before.subarray(-end.length)
      }
      return undefined
    })
    void this.#child.exited.then(() => answered.reject(new Error('the client has ended')))
    // The word is sent in two halves, so that a terminal or a program that only echoes its input does not pass for a
    // shell.
    const half = word.length / 2
    this.#child.write(`printf '%s%s\\n' '${word.slice(0, half)}' '${word.slice(half)}'\n`).catch(() => {})
    try {
      await answered.promise
    } finally {
      cancelTimer()
    }
  }

  read(onChunk: (chunk: Buffer) => Promise<void> | undefined): void {
    this.#onChunk = onChunk
    this.#isRead.resolve()
  }

  readErrors(onChunk: (chunk: Buffer) => void): void {
    this.#child.readErrors(onChunk)
  }

  stderr(): string {
    return this.#child.stderr()
  }

  write(text: string): Promise<void> {
    return this.#child.write(text)
  }

  stop(manner: StopManner): Promise<Exit> {
    return this.#child.stop(manner)
  }

  #take(chunk: Buffer): Promise<void> | undefined {
    return this.#onChunk ? this.#onChunk(chunk) : this.#isRead.promise.then(() => this.#onChunk?.(chunk))
  }
}
