import { type Line, parseLine } from '../../base/agent/line.ts'
import type { ByteSource } from '../../base/lib/byte-source.ts'
import { fileLines, lineStart } from '../../base/lib/file-lines.ts'
import { isTaskNews } from './reports-due.ts'
import { isPrompt, placeOf } from './transcript.ts'
import { placeOfTime, writtenAt } from './transcript-time.ts'

/** Locates a turn in a conversation. Times are milliseconds since the epoch. */
export interface TurnSpan {
  /** The uuids of the turn's deliveries, in order. */
  readonly deliveries: readonly string[]
  /** The time of the first delivery. */
  readonly from: number
  /** When the turn ended; undefined while it runs. */
  readonly until: number | undefined
}

/** Allows for clocks that are read one after the other, and for a CLI that writes late. */
const slackMs = 10_000

/**
 * The lines of one turn in Claude Code's own transcript, including the delivered messages. Leaves out turns that the
 * CLI or a person began in between. Reads little more of the file than the turn.
 */
export async function* linesOfTurn(file: ByteSource, span: TurnSpan): AsyncGenerator<Line> {
  const near = await placeOfTime(file, span.from - slackMs)
  let found = false
  for await (const line of from(file, near, span)) {
    found = true
    yield line
  }
  if (found) return
  // The clock was changed in the meantime: search the whole file for the uuid.
  const place = await placeOf(file, span.deliveries[0]!)
  if (place !== undefined) yield* from(file, await lineStart(file, place), { ...span, until: undefined })
}

async function* from(file: ByteSource, start: number, { deliveries, until }: TurnSpan): AsyncGenerator<Line> {
  const missing = new Set<unknown>(deliveries)
  let isOurs = false
  for await (const text of fileLines(file, start)) {
    const line = parseLine(text)
    if (line === undefined || line['isSidechain'] === true) continue
    // Until a turn ends, the reports of its background tasks are part of it.
    const isReport = isOurs && isTaskNews(line) && until !== undefined && (writtenAt(line) ?? Infinity) <= until
    if (isPrompt(line) && !isReport) {
      isOurs = missing.delete(line['uuid'])
      if (!isOurs && missing.size === 0) return
    } else if (!isOurs && until !== undefined && (writtenAt(line) ?? 0) > until + slackMs) return
    if (isOurs) yield line
  }
}
