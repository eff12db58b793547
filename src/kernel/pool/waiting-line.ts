import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import { FairShares } from './fair-shares.ts'

/** All processes stayed busy for the whole `queueTimeout`. Names the pairs that use them. */
export class NoFreeProcess extends IrisError {
  constructor(holders: readonly string[], waitedMs: number) {
    super(
      'no_free_process',
      `All ${holders.length} processes stayed busy for ${waitedMs / 1000} s: ${holders.join(', ')}.`,
      'Ask again later, or raise settings.maxProcesses.',
    )
  }
}

/** A session whose message wants a place. */
export interface Asking extends Pick<Pair, 'from' | 'to'> {
  readonly running: { readonly id: string; readonly facts: { readonly priority: number } } | undefined
}

/** A message that waits for a place. */
interface Waits {
  readonly from: string
  readonly to: string
  readonly priority: number
  readonly turnId: string | undefined
  /** How long its answer usually takes, milliseconds. Undefined if unknown; the message then overtakes no other. */
  readonly answerMs: number | undefined
}

/** How often a turn may be overtaken by turns whose answers usually take less time. */
const maxOvertaken = 4

/**
 * The waiters for a place, by priority. Within a priority, the askers take turns, and so do the pairs of each asker.
 * With load balancing, an asker's messages are served in order of arrival instead, except that a message whose answer
 * usually takes less time overtakes others. Only the first waiter may look for a place; the others sleep.
 */
export class WaitingLine {
  readonly #clock: Clock
  readonly #waiting: Waiter[] = []
  readonly #askers = new FairShares()
  readonly #pairs = new FairShares()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Creates a waiter for this session's message. `answerMs`: see `Waits`. */
  newWaiter({ from, to, running }: Asking, answerMs: number | undefined): Waiter {
    const waits = { from, to, priority: running?.facts.priority ?? 0, turnId: running?.id, answerMs }
    return new Waiter(this, this.#waiting, this.#clock, waits)
  }

  get first(): Waiter | undefined {
    const priority = this.#waiting[0]?.waits.priority
    const alike = this.#waiting.filter((each) => each.waits.priority === priority)
    const asker = this.#askers.nextOf(alike, ({ waits }) => waits.from)?.waits.from
    const own = alike.filter((each) => each.waits.from === asker)
    // With load balancing, the turns are already in order.
    if (own.some(({ waits }) => waits.answerMs !== undefined)) return own[0]
    return this.#pairs.nextOf(own, ({ waits }) => pairOf(waits))
  }

  /** Records that a message of this asker and pair has got a place. */
  served(waits: Waits): void {
    this.#askers.take(waits.from)
    this.#pairs.take(pairOf(waits))
  }

  /** Lets the first waiter check again. */
  wakeFirst(): void {
    this.first?.wake()
  }

  /**
   * Since when the message of this turn has been waiting for a place, milliseconds since the epoch. Undefined if it is
   * not waiting.
   */
  since(turnId: string): number | undefined {
    return this.#waiting.find(({ waits }) => waits.turnId === turnId)?.joinedAt
  }

  wakeAll(): void {
    for (const waiter of [...this.#waiting]) waiter.wake()
  }
}

const pairOf = ({ from, to }: Waits): string => JSON.stringify([from, to])

class Waiter {
  readonly #whole: WaitingLine
  readonly #line: Waiter[]
  readonly #clock: Clock
  readonly waits: Waits
  #overtaken = 0
  /** When the waiter last joined the line, milliseconds since the epoch. */
  joinedAt = 0
  wake: () => void = () => {}

  constructor(whole: WaitingLine, line: Waiter[], clock: Clock, waits: Waits) {
    this.#whole = whole
    this.#line = line
    this.#clock = clock
    this.waits = waits
  }

  get isFirst(): boolean {
    return this.#whole.first === this
  }

  /**
   * Joins the line. A waiter that is already in the line keeps its place. Returns the turns of the same priority that
   * it overtook.
   */
  join(): string[] {
    if (this.#line.includes(this)) return []
    this.joinedAt = this.#clock.now()
    let place = this.#line.length
    while (place > 0 && this.#goesBefore(this.#line[place - 1]!)) place -= 1
    const overtaken = this.#line.slice(place).filter((other) => other.waits.priority === this.waits.priority)
    for (const other of overtaken) other.#overtaken += 1
    this.#line.splice(place, 0, this)
    return overtaken.flatMap((other) => other.waits.turnId ?? [])
  }

  #goesBefore(other: Waiter): boolean {
    const [mine, its] = [this.waits, other.waits]
    if (mine.priority !== its.priority) return mine.priority > its.priority
    if (mine.answerMs === undefined || its.answerMs === undefined) return false
    return mine.answerMs < its.answerMs && other.#overtaken < maxOvertaken
  }

  leave(): void {
    if (!this.#line.includes(this)) return
    this.#line.splice(this.#line.indexOf(this), 1)
    this.#whole.wakeFirst()
  }

  /** Leaves the line because it has got a place. */
  take(): void {
    this.#whole.served(this.waits)
    this.leave()
  }

  /** Resolves to true when woken or aborted, and to false after `ms` milliseconds. */
  sleep(ms: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (woken: boolean): void => {
        cancelTimer()
        signal.removeEventListener('abort', this.wake)
        resolve(woken)
      }
      this.wake = () => end(true)
      const cancelTimer = this.#clock.after(ms, () => end(false))
      signal.addEventListener('abort', this.wake)
    })
  }
}
