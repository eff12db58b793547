import type { z } from 'zod'
import { IrisError } from '../../../base/protocol/error.ts'
import type { LiveStatus } from '../../../kernel/accept/turn-handle.ts'
import { type TurnModelParts, turnFacts, withLiveValues } from '../../../kernel/call/turn-model.ts'
import type { Launcher } from '../../../kernel/pool/launch.ts'
import { workingTeam } from '../../../platform/config/former-teams.ts'
import type { ModelChangeRows } from '../../../platform/store/model-changes.ts'
import type { SessionTurns, ShortTurn } from '../../../platform/store/session-turns.ts'
import type { SessionRow } from '../../../platform/store/sessions.ts'
import { changedFilesOf, type InsightParts } from '../../insight/handlers/insight.ts'
import type { sessionTurns } from '../../messages/contract/turns.ts'
import { type ReportsParts, reportsByTurn } from '../../reports/reports.ts'
import { type StandingParts, standing } from '../standing.ts'
import { known } from './list-sessions.ts'
import { type NamedSessionParts, namedSession } from './named-session.ts'

/** The dependencies of these operations. */
export interface SessionTurnsParts
  extends NamedSessionParts,
    InsightParts,
    ReportsParts,
    StandingParts,
    TurnModelParts {
  readonly modelChanges: Pick<ModelChangeRows, 'of'>
  readonly sessionTurns: SessionTurns
  readonly launcher: Pick<Launcher, 'agents' | 'programs' | 'setups'>
}

type Input = z.output<typeof sessionTurns.input>
type Output = z.output<typeof sessionTurns.output>

const usualPage = 50
const maxAnswerCharacters = 4000
const compactionsShown = 200

/** session_turns: turns that have not ended come from memory, the others from the ledger. */
export async function turnsOf(input: Input, parts: SessionTurnsParts): Promise<Output> {
  const { sessionTurns, clock } = parts
  const session = namedSession(input.sessionId, parts)
  const total = sessionTurns.count(session.id)
  // A page requested with a cursor ends where the page before it began.
  const end = input.cursor === undefined ? total : Math.min(total, Number(input.cursor))
  const limit = input.cursor === undefined ? (input.limit ?? usualPage) : Math.min(input.limit ?? usualPage, end)
  const offset = offsetOf(input, session, end, limit, parts)
  const { sessionId, from, to, thread, status } = session
  const isTeam = workingTeam(parts.config(), to) !== undefined
  const rows = sessionTurns.page(session.id, offset, limit, maxAnswerCharacters)
  const ids = rows.map(({ id }) => id)
  const changed = changedFilesOf(ids, parts)
  const reported = reportsByTurn(ids, parts)
  const otherModels = parts.modelChanges.of(ids)
  const living = await parts.turns.living(ids)
  return {
    sessionId,
    from,
    to,
    thread,
    isArchived: status === 'archived',
    session: standing(parts.sessionList.named([sessionId])[0]!, parts),
    ...(isTeam && { terminalCommand: parts.launcher.programs.terminalCommand(to, sessionId) }),
    turns: rows.map((row) => ({
      ...listed(row, living.get(row.id), parts),
      ...(changed.has(row.id) && { changedSince: changed.get(row.id) }),
      ...(otherModels.has(row.id) && { otherModel: otherModels.get(row.id) }),
      ...(reported.has(row.id) && { reports: reported.get(row.id) }),
    })),
    offset,
    ...(offset > 0 && { nextCursor: String(offset) }),
    total,
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

function offsetOf(
  { offset, around, cursor }: Input,
  { id }: SessionRow,
  end: number,
  limit: number,
  { sessionTurns }: SessionTurnsParts,
): number {
  if (cursor !== undefined) return end - limit
  if (around === undefined) return offset ?? Math.max(0, end - limit)
  const before = sessionTurns.before(around, id)
  if (before !== undefined) return Math.max(0, before - Math.floor(limit / 2))
  throw new IrisError('unknown_turn', `This conversation has no turn ${around}.`, 'Leave around out.')
}

function listed(row: ShortTurn, live: LiveStatus | undefined, parts: SessionTurnsParts): Output['turns'][number] {
  const text = live && live.end === undefined ? live.partialText : row.text
  const facts = turnFacts(withLiveValues(row, live), parts)
  const waitsFor = live && parts.waits.of(row.id)
  return {
    ...facts,
    ...(facts.value !== undefined && { value: facts.value.slice(0, maxAnswerCharacters) }),
    ...known({ retryOf: row.retryOf, retriedBy: row.retriedBy, personMs: row.personMs }),
    ...(live?.end === undefined && live?.stuck !== undefined && { stuck: live.stuck }),
    ...(waitsFor && { waitsFor }),
    message: row.message,
    isMessageCut: isCut(row.message, row.messageLength),
    ...(text !== null && text !== '' && { text: text.slice(0, maxAnswerCharacters) }),
    ...(text !== null && row.outcome === 'completed' && { response: text.slice(0, maxAnswerCharacters) }),
    isTextCut: text === row.text ? isCut(text ?? '', row.textLength) : (text ?? '').length > maxAnswerCharacters,
  }
}

function isCut(shown: string, bytes: number): boolean {
  return Buffer.byteLength(shown) < bytes
}
