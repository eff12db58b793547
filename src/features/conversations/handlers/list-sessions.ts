import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import { placeAt, placeCursor } from '../../../base/operation/place-cursor.ts'
import type { SessionHandles } from '../../../kernel/accept/session-handle.ts'
import type { Waits } from '../../../kernel/accept/waits.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { type KnownParticipantsParts, knownParticipants } from '../../../kernel/call/known-participants.ts'
import { isNamed, listedTeams } from '../../../kernel/call/policy.ts'
import type { Seams } from '../../../kernel/session/seams.ts'
import type { ListedSession, SessionList, SessionListFilter } from '../../../platform/store/session-list.ts'
import type { listSessions } from '../contract/session-list.ts'

/** The dependencies of these operations. */
export interface ListSessionsParts extends KnownParticipantsParts {
  readonly clock: Clock
  /** Conversations by their pairs. */
  readonly sessions: SessionHandles
  readonly seams: Pick<Seams, 'questions'>
  readonly waits: Waits
}

type Input = z.output<typeof listSessions.input>
type Output = z.output<typeof listSessions.output>

const usualPage = 50

export function list(input: Input, { auth }: Call, parts: ListSessionsParts): Output {
  const { sessions, sessionList, clock } = parts
  const { from, to, thread, since, status = 'live', origin, awake, query, limit = usualPage } = input
  // Not every caller may learn whether a name is known.
  if (!isNamed(auth.principal)) knownParticipants([from, to], parts)
  const filter = {
    participants: listedTeams(auth.principal),
    from,
    to,
    thread,
    since,
    status,
    origin,
    words: wordsOf(query),
    rows: awake === undefined ? undefined : { ids: sessions.awake().map(({ id }) => id), among: awake },
  }
  const { rows, more } = pageOf(sessionList, filter, limit, input.cursor)
  return { sessions: rows.map((row) => view(row, parts)), ...more, timestamp: clock.now() }
}

/** The words of a search text. */
export function wordsOf(query = ''): readonly string[] {
  return query.split(/\s+/).filter(Boolean)
}

/** The page from the cursor on, and the cursor of the next page, if there is one. */
export function pageOf(
  list: Pick<SessionList, 'page'>,
  filter: Omit<SessionListFilter, 'after'>,
  limit: number,
  cursor: string | undefined,
): { readonly rows: readonly ListedSession[]; readonly more: { readonly nextCursor?: string } } {
  // One session more than the page needs, to see whether there are more.
  const found = list.page({ ...filter, after: placeOf(cursor) }, limit + 1)
  const rows = found.slice(0, limit)
  const last = found.length > limit ? rows.at(-1) : undefined
  return { rows, more: last ? { nextCursor: placeCursor(last.lastUsedAt, last.id) } : {} }
}

function placeOf(cursor: string | undefined): SessionListFilter['after'] {
  if (cursor === undefined) return undefined
  const { at, id } = placeAt(cursor)
  return { lastUsedAt: at, id: Number(id) }
}

function view(row: ListedSession, { sessions, seams, waits }: ListSessionsParts): Output['sessions'][number] {
  const { sessionId, from, to, thread, status, origin, createdAt, lastUsedAt, messageCount } = row
  const { processState, waiting: queueLength, unreachableSince, queue } = sessions.activityOf(row)
  return {
    sessionId,
    from,
    to,
    thread,
    status,
    origin,
    createdAt,
    lastUsedAt,
    messageCount,
    processState,
    queueLength,
    ...known({
      unreachableSince,
      waitsForPermission: seams.questions.ofSession(row.id)?.toolName,
      waitsFor: waits.ofFirst(queue),
      originSession: row.originSession,
      contextTokens: row.contextTokens,
      contextWindow: row.contextWindow,
      transcriptMissingSince: row.transcriptMissingSince,
      archivedAt: row.archivedAt,
      archivedWhy: row.archivedWhy,
    }),
  }
}

/** The fields that are neither null nor undefined. */
export function known<T extends object>(values: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined),
  ) as never
}
