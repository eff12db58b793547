import type { z } from 'zod'
import { IrisError } from '../protocol/error.ts'
import type { sessionTurns } from '../protocol/operations/turns.ts'
import type { ShortTurn } from '../store/session-turns.ts'
import type { SessionRow } from '../store/sessions.ts'
import type { Domain } from './call.ts'
import { turnFacts } from './turn-facts.ts'

type Input = z.output<typeof sessionTurns.input>
type Output = z.output<typeof sessionTurns.output>

const usualPage = 50
const longestText = 4000
const compactionsShown = 200

/** session_turns: what lives is told from memory, the rest from the ledger. */
export function turnsOf(input: Input, domain: Domain): Output {
  const { sessions, sessionTurns, clock } = domain
  const session = sessions.bySessionId(input.sessionId)
  if (session === undefined) {
    throw new IrisError(
      'unknown_session',
      `There is no conversation ${input.sessionId}.`,
      'list_sessions names them; status=all lists archived ones too.',
    )
  }
  const { rows, hasOlder, hasNewer } = pageOf(input, session, domain)
  const { sessionId, from, to, thread, status } = session
  return {
    ...{ sessionId, from, to, thread },
    isArchived: status === 'archived',
    turns: rows.map((row) => listed(row, domain)),
    ...(hasOlder && { nextBefore: String(rows[0]!.sequence) }),
    ...(hasNewer && { nextAfter: String(rows.at(-1)!.sequence) }),
    total: sessionTurns.count(session.id),
    compactions: sessionTurns
      .compactions(session.id, compactionsShown)
      .map(({ at, beforeTokens, afterTokens, failure }) => ({
        at,
        ...(beforeTokens !== null && { beforeTokens }),
        ...(afterTokens !== null && { afterTokens }),
        ...(failure !== null && { failure }),
      })),
    timestamp: clock.now(),
  }
}

interface Page {
  readonly rows: readonly ShortTurn[]
  readonly hasOlder: boolean
  readonly hasNewer: boolean
}

/** One more than shown tells whether there are more. */
function pageOf(
  { limit = usualPage, before, after, around }: Input,
  { id }: SessionRow,
  { sessionTurns }: Domain,
): Page {
  const older = (place: number, count: number): Pick<Page, 'rows' | 'hasOlder'> => {
    const rows = sessionTurns.page(id, 'before', place, count + 1, longestText)
    return { rows: rows.slice(-count), hasOlder: rows.length > count }
  }
  const newer = (place: number, count: number): Pick<Page, 'rows' | 'hasNewer'> => {
    const rows = sessionTurns.page(id, 'after', place, count + 1, longestText)
    return { rows: rows.slice(0, count), hasNewer: rows.length > count }
  }
  if (around !== undefined) {
    const place = sessionTurns.placeOf(around, id)
    if (place === undefined) {
      throw new IrisError('unknown_turn', `There is no turn ${around} in this conversation.`, 'Leave around out.')
    }
    const half = Math.ceil(limit / 2)
    const [up, down] = [older(place + 1, half), newer(place, Math.max(1, limit - half))]
    return { ...up, ...down, rows: [...up.rows, ...down.rows] }
  }
  if (after !== undefined) return { ...newer(Number(after), limit), hasOlder: true }
  const place = before === undefined ? Number.MAX_SAFE_INTEGER : Number(before)
  return { ...older(place, limit), hasNewer: before !== undefined }
}

function listed(row: ShortTurn, domain: Domain): Output['turns'][number] {
  const found = domain.orchestrator.find(row.id)
  const live = found && 'live' in found ? found.live : undefined
  const text = live && live.end === undefined ? live.partialText : row.text
  return {
    ...turnFacts(row, live, domain),
    message: row.message,
    isMessageCut: isCut(row.message, row.messageLength),
    ...(text !== null && text !== '' && { text: text.slice(0, longestText) }),
    isTextCut: text === row.text ? isCut(text ?? '', row.textLength) : (text ?? '').length > longestText,
  }
}

function isCut(shown: string, bytes: number): boolean {
  return Buffer.byteLength(shown) < bytes
}
