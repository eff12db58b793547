import type { DeliveryReason, Ledger, TurnRow } from '../../platform/store/ledger.ts'
import type { Session } from '../session/session.ts'
import type { SharedConversations } from '../session/shared-conversations.ts'
import type { EarlierWork } from '../turn/ask.ts'
import type { Past, Turn } from '../turn/turn.ts'

/** What another host has done for a turn, in the form of an earlier daemon's work. */
export function pastOf({ deliveries }: EarlierWork, now: number): Past {
  const uuid = deliveries.at(-1)?.uuid
  return { delivery: uuid, firstAt: null, dispatchedAt: now, value: undefined, valueRefusals: [] }
}

/** Records the other host's work in the ledger, in the transaction that accepts the turn. */
export function recordEarlierWork(
  { deliveries, toolStarts }: EarlierWork,
  turn: Pick<TurnRow, 'id' | 'session' | 'acceptedAt'>,
  ledger: Ledger,
): void {
  for (const { uuid, why } of deliveries) ledger.dispatch(turn, uuid, why, turn.acceptedAt)
  for (const start of toolStarts) ledger.toolStarts.add({ ...start, turn: turn.id })
}

/**
 * Informs the other hosts of the delivery before Claude gets it. Throws if one of them has taken over the conversation.
 */
export async function madeKnown(
  turn: Turn,
  session: Session,
  { uuid, why }: { readonly uuid: string; readonly why: DeliveryReason },
  shared: SharedConversations,
): Promise<void> {
  if (!shared.concerns(session)) return
  await shared.delivers(session, turn.id, uuid, why)
  turn.cancelled.throwIfAborted()
}
