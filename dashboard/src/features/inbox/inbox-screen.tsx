import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type Standing, standingOf } from '../../../../src/base/protocol/standing.ts'
import { call, type Output, type Problem } from '../../shared/api/operations.ts'
import { MessageButton } from '../../shared/message/message-dialog.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { Screen } from '../../shared/ui/screen.tsx'
import { Empty, Loading, Trouble } from '../../shared/ui/states.tsx'
import { InboxRow, type InboxSession } from './inbox-row.tsx'
import { ScheduledMessages } from './scheduled.tsx'
import { TeamList } from './team-list.tsx'
import { texts } from './texts.ts'

/** What needs somebody, first; then what works; then everything else, the last message first. */
export function InboxScreen() {
  const query = useInfiniteQuery<Output<'get_inbox'>, Problem>({
    queryKey: ['get_inbox', {}, 'pages'],
    queryFn: ({ pageParam, signal }) =>
      call('get_inbox', pageParam === '' ? {} : { cursor: pageParam as string }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // What happened while nobody looked has not been heard.
    staleTime: 0,
  })
  return (
    <Screen title={texts.inbox} actions={<MessageButton look="primary" />}>
      {query.error && <Trouble problem={query.error} onRetry={() => void query.refetch()} />}
      <div className="grid gap-4 xl:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-4">
          {query.data ? (
            <Sections sessions={query.data.pages.flatMap(({ sessions }) => sessions)} />
          ) : (
            !query.error && <Loading what={texts.theInbox} />
          )}
          {query.hasNextPage && (
            <Button
              disabled={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
              className="self-center"
            >
              {query.isFetchingNextPage ? texts.loading : texts.olderConversations}
            </Button>
          )}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <TeamList />
          <ScheduledMessages />
        </div>
      </div>
    </Screen>
  )
}

const sections: readonly { readonly title: string; readonly of: readonly Standing[] }[] = [
  { title: texts.sections.waiting, of: ['waiting for you'] },
  { title: texts.sections.failed, of: ['failed'] },
  { title: texts.sections.openElsewhere, of: ['open elsewhere'] },
  { title: texts.sections.working, of: ['working', 'starting', 'queued'] },
  { title: texts.sections.others, of: ['idle', 'ending', 'asleep', 'archived'] },
]

function Sections({ sessions }: { readonly sessions: readonly InboxSession[] }) {
  // How long one waited for it is measured by this (bench P12).
  useEffect(() => void performance.mark('inbox-shown'), [])
  if (sessions.length === 0)
    return (
      <Empty title={texts.noTeamHasBeen}>
        <p>{texts.chooseNewConversationOr}</p>
      </Empty>
    )
  // A page may have been made before the one above it: each conversation is shown once.
  const shown = [...new Map(sessions.toReversed().map((session) => [session.sessionId, session])).values()].toReversed()
  const byStanding = Map.groupBy(shown, standingOf)
  return sections.map(({ title, of }) => {
    const listed = of.flatMap((standing) => byStanding.get(standing) ?? [])
    if (listed.length === 0) return null
    return (
      <section key={title} aria-label={title} className="flex flex-col gap-1">
        <h2 className="text-muted font-semibold">{title}</h2>
        <ul className="border-line bg-panel divide-line divide-y rounded-lg border">
          {listed.map((session) => (
            <InboxRow key={session.sessionId} session={session} />
          ))}
        </ul>
      </section>
    )
  })
}
