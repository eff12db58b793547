import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { external } from '../../../../src/base/protocol/pair.ts'
import { call, type Output, type Problem } from '../../shared/api/operations.ts'
import { askerName } from '../../shared/format/asker.ts'
import { Button } from '../../shared/ui/button.tsx'
import { InTurn } from '../../shared/ui/in-turn.tsx'
import { Empty, Loading, Trouble } from '../../shared/ui/states.tsx'
import { TeamName } from '../../shared/ui/team-name.tsx'
import { ThreadTag } from '../../shared/ui/thread-tag.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { useRested } from '../../shared/ui/use-rested.ts'
import { texts } from './texts.ts'

type Hit = Output<'search_messages'>['hits'][number]

/** The messages and answers that were found, the newest first, each with a link to its turn. */
export function SearchResults({ query }: { readonly query: string }) {
  const wanted = useRested(query)
  const found = useInfiniteQuery<Output<'search_messages'>, Problem>({
    queryKey: ['search_messages', { query: wanted }],
    queryFn: ({ pageParam, signal }) =>
      call('search_messages', { query: wanted, ...(pageParam !== '' && { cursor: pageParam as string }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
  const hits = found.data?.pages.flatMap((page) => page.hits)
  const isIndexing = found.data?.pages[0]?.isIndexing === true
  return (
    <>
      {found.error && <Trouble problem={found.error} onRetry={() => void found.refetch()} />}
      {hits === undefined && !found.error && <Loading what={texts.whatWasFound} />}
      {isIndexing && (
        <p role="status" className="text-warn">
          {texts.olderMessagesAreStill}
        </p>
      )}
      {hits?.length === 0 && (
        <Empty title={texts.nothingWasFound}>
          <p>{texts.allWordsMustOccur}</p>
        </Empty>
      )}
      {hits !== undefined && hits.length > 0 && (
        <ul aria-label={texts.found} className="border-line bg-panel divide-line divide-y rounded-lg border">
          {hits.map((hit, place) => (
            <InTurn key={`${hit.turnId} ${hit.where}`} isFirst={place === 0}>
              <HitRow hit={hit} query={wanted} />
            </InTurn>
          ))}
        </ul>
      )}
      {found.hasNextPage && (
        <Button disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()} className="self-center">
          {found.isFetchingNextPage ? texts.searching : texts.keepSearching}
        </Button>
      )}
    </>
  )
}

function HitRow({ hit, query }: { readonly hit: Hit; readonly query: string }) {
  const { sessionId, turnId, from, to, thread, where, at, snippet } = hit
  return (
    <li>
      <Link
        to="/conversations/$sessionId"
        params={{ sessionId }}
        search={{ turn: turnId, find: query }}
        className="hover:bg-raised flex flex-col gap-1 px-3 py-2"
      >
        <span className="text-muted flex flex-wrap items-center gap-x-2 text-xs">
          <TeamName name={where === 'message' ? from : to} />
          {where === 'message' ? texts.asksTeam(to, from === external) : texts.answersTeam(askerName(from))}
          <ThreadTag thread={thread} /> · <TimeSince at={at} />
        </span>
        <span dir="auto" className="wrap-anywhere">
          {snippet.map(({ text, isMatch }, index) =>
            isMatch ? (
              <mark key={index} className="bg-accent/25 text-ink rounded-sm">
                {text}
              </mark>
            ) : (
              text
            ),
          )}
        </span>
      </Link>
    </li>
  )
}
