import type { Unsigned } from '../../base/lib/webhook-signature.ts'
import type { JournalType } from '../../base/protocol/journal.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import type { JournalRow } from '../../kernel/journal/journal.ts'
import type { CallbackConfig } from '../../platform/config/config.ts'
import type { Ledger, TurnRow } from '../../platform/store/ledger.ts'

export interface EventParts {
  readonly ledger: Pick<Ledger, 'turn'>
  readonly journal: { readonly cursorOf: (sequence: number) => string }
  readonly rowOf: (session: number) => Pair
}

/** The most bytes of an answer that an event contains. */
const mostAnswerBytes = 65_536

/** The body posted for a journal row; undefined if its turn was deleted. */
export function eventMessage(
  { sequence, at, type, turnId, questionId }: JournalRow,
  { include }: Pick<CallbackConfig, 'include'>,
  { ledger, journal, rowOf }: EventParts,
): Unsigned | undefined {
  const turn = ledger.turn(turnId)
  if (turn === undefined) return undefined
  const { from, to, thread } = rowOf(turn.session)
  const data = {
    sequence,
    turnId,
    from,
    to,
    thread,
    status: statusAt(type, turn),
    reason: type === 'turn-settled' ? turn.reason : null,
    ...(questionId !== undefined && { permissionId: questionId }),
    ...(type === 'turn-settled' && include === 'answer' && answerOf(turn)),
    ...(type === 'turn-settled' && { usage: turn.usage }),
    metadata: turn.metadata,
  }
  return { id: journal.cursorOf(sequence), at, type, data }
}

/** The turn's state at the time of the event; the turn may have ended since. */
function statusAt(type: JournalType, { outcome }: TurnRow): string {
  if (type === 'turn-accepted') return 'accepted'
  return type === 'turn-settled' ? (outcome ?? 'in_doubt') : 'working'
}

function answerOf({ outcome, answer, value }: TurnRow) {
  if (outcome !== 'completed') return {}
  const response = cutAt(answer ?? '', mostAnswerBytes)
  const isShort = value !== null && Buffer.byteLength(value) <= mostAnswerBytes
  return {
    ...(isShort && { value: JSON.parse(value) as unknown }),
    response,
    isCut: response !== (answer ?? '') || (value !== null && !isShort),
  }
}

/** The beginning of a text, at most that many bytes, without splitting a character. */
function cutAt(text: string, bytes: number): string {
  const whole = Buffer.from(text)
  return whole.length <= bytes ? text : new TextDecoder().decode(whole.subarray(0, bytes), { stream: true })
}
