import { type Clock, outlasts } from '../../lib/clock.ts'
import type { PublishedEvent } from '../../protocol/event.ts'
import type { EventLog } from './event-log.ts'

/** Only what concerns one of these; absent: everything. Events that concern no team in particular always pass. */
export interface Filter {
  readonly team?: readonly string[]
  readonly session?: readonly string[]
  readonly turn?: readonly string[]
}

export interface Frame {
  /** Absent where there is nothing to resume after: live text is told anew. */
  readonly id?: string
  readonly type: string
  readonly json: string
}

export interface LiveTurn {
  readonly turnId: string
  readonly from: string
  readonly to: string
  readonly thread: string
  readonly sessionId: string
  /** What it has said so far. */
  readonly text: string
}

export interface ReaderParts {
  readonly log: EventLog
  readonly clock: Clock
  /** Of this start of the daemon: numbers of another one mean nothing. */
  readonly epoch: string
  readonly snapshot: () => Promise<Record<string, unknown>>
  /** Whether this reader may see the event at all. */
  readonly maySee: (event: PublishedEvent) => boolean
  readonly liveTurns: () => readonly LiveTurn[]
}

const textEveryMs = 100
/** Proxies and clients give up what is silent. */
const beatMs = 15_000

/**
 * What one reader is given: how things stand, then every change, in order. Pulled, so that who does not drain waits alone;
 * who has fallen too far behind is told anew how things stand. `after`: the id of the last frame it has.
 */
export async function* read(
  { log, clock, epoch, snapshot, maySee, liveTurns }: ReaderParts,
  filter: Filter,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Frame, void> {
  const leave = log.join()
  const texts = new LiveTexts(liveTurns, filter)
  let cursor = numberIn(after, epoch)
  let textAt = clock.elapsed()
  try {
    while (!signal.aborted) {
      const arrival = log.arrival()
      const events = cursor === undefined ? undefined : log.since(cursor)
      if (events === undefined) {
        cursor = log.last
        texts.forget()
        yield { id: `${epoch}-${cursor}`, type: 'snapshot', json: JSON.stringify(await snapshot()) }
        continue
      }
      for (const logged of events) {
        const { event } = logged
        cursor = event.sequence
        if (!maySee(event) || !concerns(filter, event)) continue
        yield { id: `${epoch}-${cursor}`, type: event.type, json: logged.json }
      }
      const wait = textAt + textEveryMs - clock.elapsed()
      if (texts.haveGrown(log.growth) && wait <= 0) {
        textAt = clock.elapsed()
        for (const text of texts.take(log.growth)) yield { type: 'turn-text', json: JSON.stringify(text) }
      }
      if (events.length > 0) continue
      const isDue = texts.haveGrown(log.growth)
      const beat = await outlasts(clock, isDue ? Math.max(1, wait) : beatMs, arrival, signal)
      if (beat && !isDue) yield { type: 'beat', json: '{}' }
    }
  } finally {
    leave()
  }
}

/** The number in an id of this start of the daemon. */
export function numberIn(id: string | undefined, epoch: string): number | undefined {
  if (id?.startsWith(`${epoch}-`) !== true) return undefined
  const sequence = Number(id.slice(epoch.length + 1))
  return Number.isSafeInteger(sequence) ? sequence : undefined
}

/** What of an event says whom it concerns. */
type Concern = Partial<Record<'from' | 'to' | 'teamName' | 'sessionId' | 'turnId', unknown>>

function concerns({ team, session, turn }: Filter, event: object): boolean {
  const { from, to, teamName, sessionId, turnId }: Concern = event
  return isAmong(team, from, to, teamName) && isAmong(session, sessionId) && isAmong(turn, turnId)
}

function isAmong(wanted: readonly string[] | undefined, ...named: readonly unknown[]): boolean {
  const names = named.filter((name) => typeof name === 'string')
  return wanted === undefined || names.length === 0 || names.some((name) => wanted.includes(name))
}

/** What turns say, as far as one reader does not have it yet. */
class LiveTexts {
  readonly #turns: () => readonly LiveTurn[]
  readonly #filter: Filter
  readonly #seen = new Map<string, number>()
  readonly #sent = new Map<string, string>()

  constructor(turns: () => readonly LiveTurn[], filter: Filter) {
    this.#turns = turns
    this.#filter = filter
  }

  forget(): void {
    this.#seen.clear()
    this.#sent.clear()
  }

  haveGrown(growth: ReadonlyMap<string, number>): boolean {
    for (const [turn, count] of growth) if (this.#seen.get(turn) !== count) return true
    return false
  }

  /** `at`: where in the turn's text it belongs; 0 also says that what was there before is void. */
  take(growth: ReadonlyMap<string, number>): { turnId: string; at: number; text: string }[] {
    for (const turn of this.#seen.keys()) if (!growth.has(turn)) this.#drop(turn)
    for (const [turn, count] of growth) this.#seen.set(turn, count)
    return this.#turns()
      .filter((turn) => concerns(this.#filter, turn))
      .flatMap((turn) => {
        const { turnId, text } = turn
        const before = this.#sent.get(turnId) ?? ''
        if (before === text) return []
        this.#sent.set(turnId, text)
        const at = text.startsWith(before) ? before.length : 0
        return [{ ...turn, at, text: text.slice(at) }]
      })
  }

  #drop(turn: string): void {
    this.#seen.delete(turn)
    this.#sent.delete(turn)
  }
}
