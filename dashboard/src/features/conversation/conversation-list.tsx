import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo, useState } from 'react'
import { call, type Output, type Problem } from '../../shared/api/operations.ts'
import { exact } from '../../shared/format/figures.ts'
import { StandingBadge } from '../../shared/turns/standing-badge.tsx'
import { useUrgent } from '../../shared/turns/use-urgent.ts'
import { Badge } from '../../shared/ui/badge.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { InTurn } from '../../shared/ui/in-turn.tsx'
import { Empty, Loading, Trouble } from '../../shared/ui/states.tsx'
import { TeamName } from '../../shared/ui/team-name.tsx'
import { ThreadTag } from '../../shared/ui/thread-tag.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { texts } from './texts.ts'

type Session = Output<'list_sessions'>['sessions'][number]
type Urgent = Output<'get_inbox'>['sessions'][number]

/** The conversations, the last used first; on request also the archived ones. */
export function ConversationList() {
  const [status, setStatus] = useState<'live' | 'all'>('live')
  const query = useInfiniteQuery<Output<'list_sessions'>, Problem>({
    queryKey: ['list_sessions', { status }, 'pages'],
    queryFn: ({ pageParam, signal }) =>
      call(
        'list_sessions',
        { status, limit: 50, ...(pageParam !== '' && { cursor: pageParam as string }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const urgent = useUrgent()
  const sessions = query.data?.pages.flatMap((page) => page.sessions)
  return (
    <>
      <label className="inline-flex items-center gap-2">
        <input
          type="checkbox"
          checked={status === 'all'}
          onChange={({ target }) => setStatus(target.checked ? 'all' : 'live')}
        />
        {texts.showArchived}
      </label>
      {query.error && <Trouble problem={query.error} onRetry={() => void query.refetch()} />}
      {sessions === undefined && !query.error && <Loading what={texts.theConversations} />}
      {sessions?.length === 0 && (
        <Empty title={texts.noTeamHasBeen}>
          <p>{texts.askOneFromClaude}</p>
        </Empty>
      )}
      {sessions !== undefined && sessions.length > 0 && (
        <ul aria-label={texts.conversations} className="border-line bg-panel divide-line divide-y rounded-lg border">
          {sessions.map((session, place) => (
            <InTurn key={session.sessionId} isFirst={place === 0}>
              <Row session={session} urgent={urgent.get(session.sessionId)} />
            </InTurn>
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <InTurn>
          <Button
            disabled={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
            className="self-center"
          >
            {query.isFetchingNextPage ? texts.loading : texts.olderConversations}
          </Button>
        </InTurn>
      )}
    </>
  )
}

interface RowProps {
  readonly session: Session
  readonly urgent: Urgent | undefined
}

const Row = memo(function Row({ session, urgent }: RowProps) {
  const { sessionId, from, to, thread, status, messageCount, lastUsedAt, queueLength } = session
  return (
    <li>
      <Link
        to="/conversations/$sessionId"
        params={{ sessionId }}
        className="hover:bg-raised flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2"
      >
        <TeamName name={from} />
        <span aria-label={texts.asks}>→</span>
        <TeamName name={to} />
        <ThreadTag thread={thread} />
        {status === 'archived' && <Badge>{texts.archived}</Badge>}
        {urgent !== undefined && <StandingBadge session={urgent} />}
        {queueLength > 0 && <Badge>{texts.queued(queueLength)}</Badge>}
        <span className="text-muted ml-auto text-xs">
          {texts.answered(exact(messageCount))}
          <TimeSince at={lastUsedAt} />
        </span>
      </Link>
    </li>
  )
})
