import type { z } from 'zod'
import { type Clock, outlasts } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Call } from '../../kernel/call/call.ts'
import { listedAsker } from '../../kernel/call/policy.ts'
import type { Principal } from '../../kernel/call/principal.ts'
import type { Journal } from '../../kernel/journal/journal.ts'
import type { KeptEvent, listEvents } from './contract.ts'
import type { KeptEvents } from './kept-events.ts'

/** The dependencies of these operations. */
export interface EventsParts {
  readonly clock: Clock
  readonly journal: Journal
  readonly keptEvents: KeptEvents
}

type Input = z.output<typeof listEvents.input>
type Output = z.output<typeof listEvents.output>

const usualPage = 100

/** list_events. Throws `cursor_unknown`. */
export async function list(input: Input, { auth, signal }: Call, parts: EventsParts): Promise<Output> {
  const { journal, keptEvents, clock } = parts
  const { limit = usualPage, timeout = 0 } = input
  const fits = fitting(input, auth.principal)
  const endsAt = clock.machine.elapsed() + timeout
  let after = await placeOf(input.cursor ?? input.after, parts)
  for (;;) {
    const arrival = Promise.withResolvers<void>()
    const endListening = journal.onRows(arrival.resolve)
    try {
      const upTo = await journal.confirmed()
      const { events, last } = keptEvents.page(after, upTo, limit, fits)
      const isMore = last < upTo
      const leftMs = endsAt - clock.machine.elapsed()
      if (events.length > 0 || isMore || leftMs <= 0 || signal.aborted) {
        const nextCursor = journal.cursorOf(last)
        return { events: [...events], nextCursor, isMore, timestamp: clock.now() }
      }
      after = last
      await outlasts(clock.machine, leftMs, arrival.promise, signal)
    } finally {
      endListening()
    }
  }
}

/** The number of the row after which the caller reads. Throws `cursor_unknown`. */
async function placeOf(cursor: string | undefined, { journal }: EventsParts): Promise<number> {
  if (cursor === 'now') return journal.confirmed()
  const first = journal.first()
  const place = journal.sequenceOf(cursor ?? first)
  if (place !== undefined) return place
  throw new IrisError(
    'cursor_unknown',
    'This Iris does not know this cursor: its event is older than 30 days, or the store was restored or rebuilt.',
    `Some events may be missing. Continue from the first one that is kept: cursor=${first}.`,
    { firstCursor: first },
  )
}

/** The events that the caller may see and wants to see. Permission requests are only for the owner. */
function fitting({ type, team }: Input, principal: Principal): (event: KeptEvent) => boolean {
  const asker = listedAsker(principal)
  const isOwner = principal.roles.includes('owner')
  const types = type === undefined ? undefined : new Set([type].flat())
  return (event) =>
    (asker === undefined || event.from === asker) &&
    (isOwner || !event.type.startsWith('permission:')) &&
    (types === undefined || types.has(event.type)) &&
    (team === undefined || event.from === team || event.to === team)
}
