import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import type { Secrets } from '../../../base/lib/secrets.ts'
import { isOpenSessionThread, ownThread } from '../../../base/protocol/open-session-thread.ts'
import type { Pair } from '../../../base/protocol/pair.ts'
import type { LiveStatus, TurnHandle, Turns } from '../../../kernel/accept/turn-handle.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { type PairParts, readPairOf } from '../../../kernel/call/pair.ts'
import { isNamed } from '../../../kernel/call/policy.ts'
import { statusOf, turnView, withLiveValues } from '../../../kernel/call/turn-model.ts'
import { lineView } from '../../../kernel/turn/line-view.ts'
import type { TurnRow } from '../../../platform/store/ledger.ts'
import type { BegunTurn, PairTurns } from '../../../platform/store/pair-turns.ts'
import { outcomeCounts } from '../../conversations/handlers/session-stats.ts'
import type { LiveAsks } from '../../live/live-asks.ts'
import type { sessionReport } from '../contract/report.ts'

/** The dependencies of these operations. */
export interface ReportParts extends PairParts {
  readonly clock: Clock
  /** Turns by their ids. */
  readonly turns: Turns
  readonly live: Pick<LiveAsks, 'answer' | 'letIn' | 'of' | 'promote' | 'ready' | 'take' | 'waitingFor'>
  readonly pairTurns: PairTurns
  readonly secrets: Secrets
}

type Output = z.output<typeof sessionReport.output>
type Entry = Output['entries'][number]

const usualPage = 20
const maxReportedCharacters = 2000
const maxLine = 500
const linesShown = 50

/**
 * session_report: a page of the pair's turns. Turns that have not ended come from memory, the others from the ledger.
 */
export async function report(
  input: z.output<typeof sessionReport.input>,
  call: Call,
  parts: ReportParts,
): Promise<Output> {
  const { sessions, pairTurns, clock } = parts
  const pair = await readPairOf(input, call, parts)
  const limit = input.limit ?? usualPage
  // Reads one row more than the page needs, to see whether there are older ones.
  const cursor = input.cursor ?? input.before
  const before = Number(cursor ?? Number.MAX_SAFE_INTEGER)
  const rows = pairTurns.page(pair, before, limit + 1, maxReportedCharacters + 1)
  const page = rows.slice(0, limit).toReversed()
  const session = await sessions.of(pair).status()
  const waiting = cursor === undefined ? waitingToBeLetIn(pair, parts) : []
  const shown = [...page, ...waiting]
  const living = await parts.turns.living(shown.map(({ id }) => id))
  const older = rows.length > limit ? String(page[0]!.sequence) : undefined
  const state = session?.processState ?? 'stopped'
  const stats = outcomeCounts(pairTurns.counts(pair))
  return {
    team: pair.to,
    from: pair.from,
    thread: pair.thread,
    hasSession: session !== undefined,
    ...(session && { sessionId: session.sessionId }),
    hasProcess: state !== 'stopped',
    processState: state,
    allComplete: stats.active === 0 && waiting.length === 0,
    entries: await Promise.all(
      shown.map((row) => entry(row, living.get(row.id), !isNamed(call.auth.principal), parts)),
    ),
    ...(older !== undefined && { nextCursor: older, before: older }),
    stats,
    timestamp: clock.now(),
  }
}

/** Messages for an open session that are waiting for a person; they are not part of the conversation. */
function waitingToBeLetIn({ from, to, thread }: Pair, { live, turns }: ReportParts): readonly TurnRow[] {
  if (isOpenSessionThread(thread)) return []
  return live
    .waitingFor(to)
    .filter((each) => each.from === from && ownThread(each.thread) === thread)
    .flatMap(({ turn }) => turns.rowOf(turn) ?? [])
}

type Row = TurnRow & Partial<BegunTurn>

async function entry(row: Row, live: LiveStatus | undefined, withLines: boolean, parts: ReportParts): Promise<Entry> {
  const { turns, sessions, clock, secrets, live: liveAsks } = parts
  const view = turnView(live ? { live } : { row }, {
    now: clock.now(),
    rowOf: (session) => sessions.rowOf(session),
    withoutSecrets: secrets.hideInText,
    ongoing: 'async',
  })
  const { turnId, sessionId, reason, detail, response, partialResponse, contextReset, usage } = view
  const current = withLiveValues(row, live)
  const ofRow = live ? undefined : row
  return {
    type: 'tell',
    turnId,
    sessionId,
    message: cut(row.message, maxReportedCharacters, row.messageBytes),
    status: statusOf(current),
    ...(live && liveAsks.of(row.id)?.isWaiting === true && { waitsToBeLetIn: true }),
    ...(reason && { reason }),
    ...(detail !== undefined && { detail }),
    ...(response !== undefined && { response: cut(response, maxReportedCharacters, ofRow?.answerBytes) }),
    ...(partialResponse !== undefined && {
      partialResponse: cut(partialResponse, maxReportedCharacters, ofRow?.partialBytes),
    }),
    ...(contextReset !== undefined && { contextReset }),
    ...(usage && { usage }),
    createdAt: row.acceptedAt,
    ...(current.settledAt !== null && { completedAt: current.settledAt }),
    ...(live && withLines && (await linesOf(turns.handle(row.id), secrets))),
  }
}

/** Leaves out stream events, since the whole message follows them. */
async function linesOf(
  turn: TurnHandle,
  { hideInText }: ReportParts['secrets'],
): Promise<Pick<Entry, 'messageCount' | 'messages'>> {
  const lines = (await turn.messages()).filter(({ line }) => line.type !== 'stream_event')
  const messages = lines.slice(-linesShown).map(({ line, at: timestamp }) => {
    const { type, text } = lineView(line)
    return {
      ...(timestamp !== undefined && { timestamp }),
      type,
      ...(text !== undefined && { text: cut(hideInText(text), maxLine) }),
    }
  })
  return { messageCount: lines.length, messages }
}

/**
 * `bytes`: the size of the whole text, if `text` may be only its beginning; undefined or null if `text` is the whole
 * text.
 */
function cut(text: string, longest: number, bytes?: number | null): string {
  if (text.length <= longest) return text
  const beginning = text.slice(0, longest).toWellFormed()
  return `${beginning}… (${(bytes ?? Buffer.byteLength(text)) - Buffer.byteLength(beginning)} more bytes)`
}
