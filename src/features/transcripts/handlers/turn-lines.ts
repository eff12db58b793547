import { type Line, lengthOf } from '../../../base/agent/line.ts'
import type { KeptTranscripts } from '../../../claude/driver/kept-transcripts.ts'
import { writtenAt } from '../../../claude/driver/transcript-time.ts'
import { linesOfTurn, type TurnSpan } from '../../../claude/driver/transcript-turn.ts'
import type { TranscriptFiles } from '../../../claude/transcript/transcript-files.ts'
import { turnOfConversation } from '../../../claude/transcript/turn-of-conversation.ts'
import type { SessionHandles } from '../../../kernel/accept/session-handle.ts'
import type { LiveStatus, Turns } from '../../../kernel/accept/turn-handle.ts'
import type { Machines } from '../../../platform/machine/machine.ts'
import type { TurnRow } from '../../../platform/store/ledger.ts'
import type { SessionTurns } from '../../../platform/store/session-turns.ts'

/** The dependencies of these operations. */
export interface TurnLinesParts {
  /** Turns by their ids. */
  readonly turns: Turns
  /** Conversations by their pairs. */
  readonly sessions: SessionHandles
  readonly machines: Machines
  readonly sessionTurns: SessionTurns
  readonly transcripts: Pick<TranscriptFiles, 'conversationOf' | 'remove'>
  readonly kept: Pick<KeptTranscripts, 'forget' | 'look'>
}

export interface TurnLines {
  readonly lines: readonly Line[]
  readonly source: 'memory' | 'transcript' | 'conversation' | 'ledger'
  /** When a line came, milliseconds since the epoch, as far as that is known. */
  readonly timeOf: (line: Line) => number | undefined
}

/** The most that is read for one turn from a file, in characters of its lines. */
const maxRead = 64 * 1024 * 1024

/** The lines of a turn, from the most complete source that has them. */
export async function turnLines(row: TurnRow, live: LiveStatus | undefined, parts: TurnLinesParts): Promise<TurnLines> {
  const deliveries = parts.sessionTurns.deliveriesOf(row.id)
  const messages = await parts.turns.handle(row.id).messages()
  const times = new Map(messages.map(({ line, at }) => [line, at]))
  const timeOf = (line: Line): number | undefined => times.get(line) ?? writtenAt(line)
  // Only the files have the lines that an earlier daemon received.
  const before = live?.takenUp ? deliveries.filter((uuid) => uuid !== live.delivery) : deliveries
  const remembered = messages.map(({ line }) => line)
  if (live !== undefined && (!live.takenUp || before.length === 0))
    return { lines: remembered, source: 'memory', timeOf }
  const span = { deliveries: before, from: row.dispatchedAt ?? row.acceptedAt, until: row.settledAt ?? undefined }
  const session = parts.sessions.rowOf(row.session)
  // Estimates the turn's place in the file as if all turns were equally long.
  const share = (): number =>
    (parts.sessionTurns.before(row.id, row.session) ?? 0) / parts.sessionTurns.count(row.session)
  for (const [source, read] of sources(session, span, share, parts)) {
    const lines = await gathered(read).catch(() => [])
    if (lines.length > 0) return { lines: [...lines, ...remembered], source, timeOf }
  }
  return { lines: remembered, source: remembered.length > 0 ? 'memory' : 'ledger', timeOf }
}

type Reading = readonly ['transcript' | 'conversation', () => AsyncIterable<Line>]

function sources(
  { to, sessionId }: { to: string; sessionId: string },
  span: TurnSpan,
  share: () => number,
  parts: TurnLinesParts,
): Reading[] {
  if (span.deliveries.length === 0) return []
  const { kept, machines, transcripts } = parts
  return [
    [
      'transcript',
      async function* () {
        const file = await kept.look(machines.of(to).claude, sessionId)
        if (file !== undefined) yield* linesOfTurn(file, span)
      },
    ],
    ['conversation', () => turnOfConversation(transcripts.conversationOf(sessionId), span.deliveries, share())],
  ]
}

async function gathered(read: Reading[1]): Promise<Line[]> {
  const lines: Line[] = []
  let length = 0
  for await (const line of read()) {
    length += lengthOf(line)
    if (length > maxRead) break
    // Stream events are left out: the whole message follows them.
    if (line.type !== 'stream_event') lines.push(line)
  }
  return lines
}
