import { IrisError } from '../../base/protocol/error.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import { wrapSteer } from '../../claude/driver/joined-messages.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import type { Session } from '../session/session.ts'
import type { Ask } from '../turn/ask.ts'

type Parts = Pick<OrchestratorParts, 'clock' | 'config' | 'ledger' | 'newId' | 'pool' | 'publish'>

/** Throws `invalid_input` if an ask that may join a running turn has options that only a separate turn can have. */
export function maySteer({ whenBusy, attachments, budget, responseSchema }: Ask): void {
  if (whenBusy !== 'steer') return
  if (attachments === undefined && budget === undefined && responseSchema === undefined) return
  throw new IrisError(
    'invalid_input',
    'A message that joins a running turn cannot have its own files, schema or budget.',
    'Leave them out, or let the message wait with whenBusy "queue".',
  )
}

/**
 * Adds the message to the conversation's running turn and returns that turn's id. Returns undefined if no running turn
 * can accept the message; the message must then wait like any other.
 */
export function steer(
  session: Session,
  { message, idempotencyKey, sender, joining }: Ask,
  parts: Parts,
): string | undefined {
  const { clock, ledger, newId, pool, publish } = parts
  const turn = session.running
  if (turn === undefined || turn.end !== undefined || turn.cancelled.aborted || turn.startedAt === null)
    return undefined
  roomToJoin(turn.id, parts)
  const uuid = newId()
  const joinedAt = clock.now()
  const said = sender === undefined ? null : JSON.stringify(sender)
  const row = { uuid, turn: turn.id, message, idempotencyKey: idempotencyKey ?? null, joinedAt, sender: said }
  const hasJoined = pool.process(session)?.steer(uuid, wrapSteer(session, row), () =>
    ledger.atomically(() => {
      ledger.steers.add(row)
      joining?.(turn.id)
    }),
  )
  if (hasJoined !== true) return undefined
  publish({ type: 'turn-steered', turnId: turn.id, ...session.ids })
  return turn.id
}

/** Throws `queue_full` if no more messages may join the turn. As many may join it as may wait behind it. */
function roomToJoin(turnId: string, { config, ledger }: Pick<Parts, 'config' | 'ledger'>): void {
  const { queueLength } = config().settings
  if (ledger.steers.of(turnId).length < queueLength) return
  const what = `${queueLength} messages have already joined turn ${turnId}.`
  throw new IrisError('queue_full', what, 'Wait for its answer, or raise settings.queueLength.')
}

/** The turn that a message with this key has joined. Throws `key_in_use` if the key belongs to a different message. */
export function steeredBefore(
  { idempotencyKey: key, message, pair }: Ask,
  { ledger, sessions }: Pick<OrchestratorParts, 'ledger' | 'sessions'>,
): string | undefined {
  const known = key === undefined ? undefined : ledger.steers.byKey(key)
  if (known === undefined) return undefined
  if (known.message === message && isOf(pair, known.turn, ledger, sessions)) return known.turn
  throw new IrisError(
    'key_in_use',
    `This idempotency key belongs to another message, which joined turn ${known.turn}.`,
    'Use a different key for each message.',
  )
}

function isOf(
  { from, to, thread }: Pair,
  turnId: string,
  ledger: OrchestratorParts['ledger'],
  sessions: OrchestratorParts['sessions'],
): boolean {
  const row = ledger.turn(turnId)
  const of = row && sessions.rowOf(row.session)
  return of?.from === from && of.to === to && of.thread === thread
}
