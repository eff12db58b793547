import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { type Standing, standingOf } from '../../../../src/base/protocol/standing.ts'
import { call, type Output, type Problem } from '../../shared/api/operations.ts'
import { counted } from '../../shared/format/counted.ts'
import { MessageButton } from '../../shared/message/message-dialog.tsx'
import { NotifySwitch } from '../../shared/notifications/notify-switch.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { InTurn } from '../../shared/ui/in-turn.tsx'
import { Screen } from '../../shared/ui/screen.tsx'
import { SearchField } from '../../shared/ui/search-field.tsx'
import { Empty, Loading, Trouble } from '../../shared/ui/states.tsx'
import { InboxList } from './inbox-list.tsx'
import { InboxRow, type InboxSession } from './inbox-row.tsx'
import { type InboxPlace, PlaceTabs, placeOf } from './place-tabs.tsx'
import type { Row } from './retrying.ts'
import { ScheduledMessages } from './scheduled.tsx'
import { TeamList } from './team-list.tsx'
import { texts } from './texts.ts'
import { useInbox } from './use-inbox.ts'

const PeekPanel = lazy(async () => ({ default: (await import('./opened/peek-panel.tsx')).PeekPanel }))

/** As many rows as a window shows, because the first view waits for them. */
const firstPage = 20

/**
 * Items that need the owner, then answers to the owner, as Iris keeps them; below, the conversations at work and all
 * others.
 */
export function InboxScreen() {
  const query = useInfiniteQuery<Output<'get_inbox'>, Problem>({
    queryKey: ['get_inbox', {}, 'pages'],
    queryFn: ({ pageParam, signal }) =>
      call('get_inbox', pageParam === '' ? { limit: firstPage } : { cursor: pageParam as string }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // Iris may have published changes while nobody used this query.
    staleTime: 0,
  })
  const { place: wanted, find = '' } = useSearch({ from: '/' })
  const place = placeOf(wanted)
  const navigate = useNavigate()
  const inbox = useInbox(place, find)
  const [peeked, setPeeked] = useState<Row>()
  const sessions = query.data?.pages.flatMap((page) => page.sessions)
  const rows = inbox.data?.rows
  const isWhole = place === 'inbox' && find === ''
  const look = (text: string): void =>
    void navigate({
      to: '/',
      search: { ...(place !== 'inbox' && { place }), ...(text !== '' && { find: text }) },
      replace: true,
    })
  return (
    <Screen title={texts.inbox} actions={<MessageButton look="primary" />}>
      {query.error && <Trouble problem={query.error} onRetry={() => void query.refetch()} />}
      {inbox.error && !query.error && <Trouble problem={inbox.error} onRetry={() => void inbox.refetch()} />}
      <div className="flex flex-wrap items-center gap-2">
        <PlaceTabs current={place} counts={inbox.data?.places} />
        <SearchField
          label={texts.findInTheInbox}
          placeholder={texts.findInTheInbox}
          value={find}
          onChange={look}
          className="ml-auto min-w-0 max-sm:w-full"
        />
      </div>
      <div className="grid gap-4 xl:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-4">
          {inbox.data && (
            <InboxList
              key={place}
              place={place}
              listed={inbox.data.rows}
              skewMs={inbox.data.timestamp - inbox.dataUpdatedAt}
              onPeek={setPeeked}
            />
          )}
          {inbox.data !== undefined && inbox.data.more > 0 && (
            <p className="text-muted">{texts.more(inbox.data.more)}</p>
          )}
          {rows?.length === 0 && sessions !== undefined && sessions.length > 0 && (
            <NothingHere place={place} find={find} sessions={sessions} />
          )}
          {isWhole &&
            (sessions && rows ? (
              <Sections sessions={sessions} listed={rows} />
            ) : (
              !query.error && <Loading what={texts.theInbox} />
            ))}
          {isWhole && query.hasNextPage && (
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
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          {peeked && (
            <Suspense>
              <PeekPanel session={peeked.session} onClose={() => setPeeked(undefined)} />
            </Suspense>
          )}
          <InTurn>
            <TeamList />
          </InTurn>
          <InTurn>
            <ScheduledMessages />
          </InTurn>
        </div>
      </div>
    </Screen>
  )
}

interface NothingHereProps {
  readonly place: InboxPlace
  readonly find: string
  readonly sessions: readonly InboxSession[]
}

/** For an empty place: what is going on, and what can be done next. */
function NothingHere({ place, find, sessions }: NothingHereProps) {
  if (find !== '')
    return (
      <Empty title={texts.nothingFits}>
        <Link to="/conversations" search={{ query: find }} className="text-accent underline">
          {texts.searchAllConversations}
        </Link>
      </Empty>
    )
  if (place !== 'inbox') return <Empty title={texts.nothingHere[place]} />
  const working = sessions.filter(({ runningTurnId }) => runningTurnId !== undefined).length
  return (
    <Empty title={texts.nothingNeedsYou}>
      <p>{working === 0 ? texts.nothingIsWorking : texts.someAreWorking(counted(working, texts.conversations))}</p>
      <MessageButton />
      <NotifySwitch />
    </Empty>
  )
}

const sections: readonly { readonly title: string; readonly of: readonly Standing[] }[] = [
  { title: texts.sections.working, of: ['working', 'starting', 'queued'] },
  { title: texts.sections.others, of: ['idle', 'ending', 'asleep', 'archived'] },
]

interface SectionsProps {
  readonly sessions: readonly InboxSession[]
  /** The rows of the inbox, whose conversations are not listed a second time. */
  readonly listed: readonly Row[]
}

function Sections({ sessions, listed }: SectionsProps) {
  // The bench P12 measures the wait by this mark.
  useEffect(() => void performance.mark('inbox-shown'), [])
  if (sessions.length === 0)
    return (
      <Empty title={texts.noTeamHasBeen}>
        <p>{texts.chooseNewConversationOr}</p>
      </Empty>
    )
  // A page may be older than the one above it, so each conversation is shown only once.
  const inInbox = new Set(listed.map(({ session }) => session.sessionId))
  const others = sessions.filter(({ sessionId }) => !inInbox.has(sessionId)).toReversed()
  const shown = [...new Map(others.map((session) => [session.sessionId, session])).values()].toReversed()
  const byStanding = Map.groupBy(shown, standingOf)
  return sections.map(({ title, of }) => {
    const these = of.flatMap((standing) => byStanding.get(standing) ?? [])
    if (these.length === 0) return null
    return (
      <section key={title} aria-label={title} className="flex flex-col gap-1">
        <h2 className="text-muted font-semibold">{title}</h2>
        <ul className="border-line bg-panel divide-line divide-y rounded-lg border">
          {these.map((session, place) => (
            <InTurn key={session.sessionId} isFirst={place === 0}>
              <InboxRow session={session} />
            </InTurn>
          ))}
        </ul>
      </section>
    )
  })
}
