import type { Output } from '../../../adapters/client/tool-call.ts'
import { counted } from '../../../app/cli/counted.ts'
import { momentText } from '../../../app/cli/moment.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { shownPair } from '../../../base/protocol/pair.ts'

type Entry = Output<'session_report'>['entries'][number]

/** The messages and how they ended, newest last. */
export function reportLines(report: Output<'session_report'>): readonly string[] {
  const { team, from, thread, hasSession, sessionId, processState, entries, nextCursor, stats } = report
  const pair = shownPair({ from, to: team, thread })
  if (!hasSession && entries.length === 0) return [`${pair} have never spoken.`]
  return [
    `${pair}  ${processState}  ${sessionId ?? 'no conversation now'}`,
    `${counted(stats.total, 'message')}: ${stats.completed} answered, ${stats.active} open, ${stats.total - stats.completed - stats.active} without an answer`,
    ...(nextCursor === undefined ? [] : [`There are older messages: --cursor ${nextCursor}`]),
    ...entries.flatMap((entry) => ['', ...entryLines(entry)]),
  ]
}

function entryLines({
  turnId,
  createdAt,
  status,
  waitsToBeLetIn,
  message,
  response,
  partialResponse,
  reason,
  detail,
}: Entry): string[] {
  const known = waitsToBeLetIn === true ? `waiting for you (accept it with iris promote ${shortId(turnId)})` : status
  const ended = reason === undefined ? known : `${known} (${reason})`
  return [
    `${shortId(turnId)}  ${momentText(createdAt)}  ${ended}`,
    ...block('>', message),
    ...block('<', response ?? partialResponse ?? ''),
    // Iris's own text gets no sign, because the team did not write it.
    ...block(' ', detail ?? ''),
  ]
}

function block(sign: string, text: string): string[] {
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => `  ${sign} ${line}`)
}
