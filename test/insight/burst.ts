import type { Pair } from '../../src/base/protocol/pair.ts'
import { UsualUse } from '../../src/features/insight/usual-use.ts'
import { type Candidate, toEvict } from '../../src/kernel/pool/eviction.ts'
import { WaitingLine } from '../../src/kernel/pool/waiting-line.ts'
import { picker } from '../property/random.ts'
import { FakeClock } from '../support/fake-clock.ts'

/** Times are milliseconds since the burst began. */
interface BurstAsk {
  readonly pair: Pair
  readonly at: number
  readonly tookMs: number
}

const minutes = 40
/** What the start of a process costs, and how long the API keeps a prompt. */
const [startMs, cacheMs] = [1500, 3_600_000]

/** So many asks of 60 conversations, whose answers usually take 4 s to 4 min each; the same seed makes the same ones. */
export function makeBurst(seed: number, asks: number): BurstAsk[] {
  const pick = picker(seed)
  const share = (): number => (pick(1_000_000) + 1) / 1_000_000
  const pairs = Array.from({ length: 60 }, (_, n) => ({
    pair: { from: 'a', to: `b${n}`, thread: 'main' },
    usual: share(),
  }))
  const busier = pairs.filter(() => pick(2) === 0)
  return Array.from({ length: asks }, () => {
    const among = busier.length > 0 && pick(3) > 0 ? busier : pairs
    const { pair, usual } = among[pick(among.length)]!
    return { pair, at: pick(minutes * 60_000), tookMs: 4000 * 60 ** usual * 4 ** (share() - 0.5) }
  }).toSorted((one, other) => one.at - other.at)
}

interface Place extends Candidate {
  evictable: boolean
  lastUsedAt: number
  readonly pair: Pair
}

/** Plays a burst through a pool of so many processes, and returns how long each ask waited. Pure. */
export function waitsIn(burst: readonly BurstAsk[], places: number, isBalanced: boolean): number[] {
  const play = new Play(places, isBalanced)
  for (const ask of burst) play.at(ask.at, () => play.asked(ask))
  play.run()
  return play.waits
}

class Play {
  readonly waits: number[] = []
  readonly #places: number
  readonly #usual = new UsualUse()
  readonly #isBalanced: boolean
  readonly #line = new WaitingLine(new FakeClock())
  readonly #waiting = new Map<string, ReturnType<WaitingLine['newWaiter']>>()
  readonly #pool = new Map<string, Place>()
  readonly #queues = new Map<string, BurstAsk[]>()
  readonly #coming: { readonly at: number; readonly run: () => void }[] = []
  #now = 0

  constructor(places: number, isBalanced: boolean) {
    this.#places = places
    this.#isBalanced = isBalanced
  }

  at(at: number, run: () => void): void {
    const place = this.#coming.findLastIndex((each) => each.at <= at)
    this.#coming.splice(place + 1, 0, { at, run })
  }

  run(): void {
    for (let next = this.#coming.shift(); next !== undefined; next = this.#coming.shift()) {
      this.#now = next.at
      next.run()
    }
  }

  asked(ask: BurstAsk): void {
    this.#usual.asked(ask.pair, this.#now)
    const queue = this.#queues.get(ask.pair.to) ?? []
    this.#queues.set(ask.pair.to, queue)
    if (queue.push(ask) === 1) this.#begin(ask)
  }

  #begin(ask: BurstAsk): void {
    const { pair } = ask
    if (this.#pool.has(pair.to)) return this.#serve(ask, 0)
    const answerMs = this.#isBalanced ? this.#usual.answerMs(pair) : undefined
    const waiter = this.#line.newWaiter({ ...pair, running: undefined }, answerMs)
    waiter.join()
    this.#waiting.set(pair.to, waiter)
    this.#fill()
  }

  /** Those who wait get places while there are any. */
  #fill(): void {
    for (;;) {
      const next = [...this.#waiting].find(([, waiter]) => waiter.isFirst)
      if (next === undefined || !this.#hasRoom()) return
      const [key, waiter] = next
      waiter.take()
      this.#waiting.delete(key)
      this.#serve(this.#queues.get(key)![0]!, startMs)
    }
  }

  #hasRoom(): boolean {
    if (this.#pool.size < this.#places) return true
    const expected = this.#isBalanced
      ? ({ pair, lastUsedAt }: Place) => this.#usual.msPerMessage(pair, this.#now, this.#now - lastUsedAt)
      : undefined
    const leaving = toEvict(this.#pool.values(), this.#now, expected)
    return leaving !== undefined && this.#pool.delete(leaving.pair.to)
  }

  #serve({ pair, at, tookMs }: BurstAsk, start: number): void {
    const place = this.#pool.get(pair.to) ?? { pair, evictable: false, lastUsedAt: this.#now, cacheMs }
    this.#pool.set(pair.to, Object.assign(place, { evictable: false }))
    this.waits.push(this.#now + start - at)
    this.at(this.#now + start + tookMs, () => {
      Object.assign(place, { evictable: true, lastUsedAt: this.#now })
      this.#usual.answered(pair, tookMs)
      const queue = this.#queues.get(pair.to)!
      queue.shift()
      if (queue[0]) this.#begin(queue[0])
      this.#fill()
    })
  }
}
