import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { memo } from 'react'
import { plainLine } from '../../../../src/base/lib/plain-line.ts'
import type { TurnSummaryView } from '../../../../src/features/traces/contract.ts'
import { useOperation } from '../../shared/api/use-operation.ts'
import { duration } from '../../shared/format/durations.ts'
import { statusWords, TurnStatus } from '../../shared/turns/turn-status.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { InTurn } from '../../shared/ui/in-turn.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Screen } from '../../shared/ui/screen.tsx'
import { Empty } from '../../shared/ui/states.tsx'
import { TimeSince, useWordsNow } from '../../shared/ui/time-since.tsx'
import { Filters, type TurnFilter } from './filters.tsx'
import { Pair } from './pair.tsx'
import { texts } from './texts.ts'

interface TraceSearch {
  readonly team?: string
  readonly status?: string
}

/** First asks, the newest first, each with a link to what it caused. */
export function TracesScreen() {
  const { team, status: wanted, cursor } = useSearch({ from: '/traces' })
  const status =
    wanted !== undefined && (wanted in statusWords || wanted === 'open') ? (wanted as TurnFilter['status']) : undefined
  const filter: TurnFilter = { ...(team !== undefined && { team }), ...(status !== undefined && { status }) }
  const navigate = useNavigate()
  const query = useOperation('list_turns', { root: true, ...filter, ...(cursor !== undefined && { cursor }) })
  const choose = (chosen: TurnFilter): void => void navigate({ to: '/traces', search: chosen as TraceSearch })
  const older = (next: string): void =>
    void navigate({ to: '/traces', search: { ...(filter as TraceSearch), cursor: next } })
  return (
    <Screen title={texts.traces} actions={<Filters filter={filter} onChange={choose} />}>
      <QueryView query={query} what={texts.theTraces}>
        {({ turns, nextCursor }) => (
          <>
            {turns.length > 0 && <Asks turns={turns} />}
            {turns.length === 0 && (
              <Nothing isFirst={cursor === undefined && Object.keys(filter).length === 0 && !nextCursor} />
            )}
            <nav aria-label={texts.pages} className="flex gap-2">
              {cursor !== undefined && <Button onClick={() => history.back()}>{texts.newer}</Button>}
              {nextCursor !== undefined && <Button onClick={() => older(nextCursor)}>{texts.older}</Button>}
            </nav>
          </>
        )}
      </QueryView>
    </Screen>
  )
}

function Nothing({ isFirst }: { readonly isFirst: boolean }) {
  if (!isFirst) return <Empty title={texts.noMessageMatches}>{texts.chooseAnotherTeamOr}</Empty>
  return <Empty title={texts.noMessagesYet}>{texts.asSoonAsA}</Empty>
}

function Asks({ turns }: { readonly turns: readonly TurnSummaryView[] }) {
  return (
    <ul aria-label={texts.firstMessages} className="border-line bg-panel divide-line divide-y rounded-lg border">
      {turns.map((turn, place) => (
        <InTurn key={turn.turnId} isFirst={place === 0}>
          <Ask turn={turn} />
        </InTurn>
      ))}
    </ul>
  )
}

const Ask = memo(function Ask({ turn }: { readonly turn: TurnSummaryView }) {
  return (
    <li>
      <Link
        to="/traces/$turnId"
        params={{ turnId: turn.turnId }}
        className="hover:bg-raised flex flex-wrap items-center gap-x-2 gap-y-1 px-3 py-2.5"
      >
        <Pair {...turn} />
        <TurnStatus turn={turn} />
        <span className="text-muted order-2 ml-auto text-xs sm:order-none">
          <Took turn={turn} />
          {' · '}
          <TimeSince at={turn.acceptedAt} />
        </span>
        <span aria-hidden="true" className="basis-full sm:hidden" />
        <span dir="auto" className="text-muted order-1 min-w-0 flex-1 truncate sm:basis-full">
          {plainLine(turn.message)}
        </span>
      </Link>
    </li>
  )
})

function Took({ turn: { acceptedAt, settledAt } }: { readonly turn: TurnSummaryView }) {
  const took = useWordsNow((now) => duration(Math.max(0, (settledAt ?? now) - acceptedAt)))
  return <span className="text-ink tabular-nums">{took}</span>
}
