import { useEffect, useMemo } from 'react'
import { MessageButton } from '../../shared/message/message-dialog.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { InTurn } from '../../shared/ui/in-turn.tsx'
import { Screen } from '../../shared/ui/screen.tsx'
import { Empty, Loading, Trouble } from '../../shared/ui/states.tsx'
import type { Board } from './changes.ts'
import { type Sorting, sorted } from './columns.ts'
import { type Filter, filtered, isEverything } from './filter.ts'
import { Filters } from './filters.tsx'
import { boardFor } from './fold.ts'
import { SwitchboardMap } from './map.tsx'
import { PoolActions } from './pool-actions.tsx'
import { SessionCards } from './session-cards.tsx'
import { SessionsTable } from './sessions-table.tsx'
import { TeamPanel } from './team-panel.tsx'
import { texts } from './texts.ts'
import { useBoard } from './use-board.ts'
import { useFilter } from './use-filter.ts'
import { useIsWide } from './use-size.ts'
import { useVerbs } from './use-verbs.ts'
import { VerbDialog } from './verb-dialog.tsx'

/** The map of teams and the live sessions between them, and the same as a table. */
export function SwitchboardScreen() {
  const { filter, setFilter, sorting, setSorting } = useFilter()
  const { board, pages } = useBoard(filter.withArchived, filter.text)
  return (
    <Screen
      title={texts.switchboard}
      actions={
        <>
          {board && <PoolActions board={board} />}
          <MessageButton />
        </>
      }
    >
      {pages.error && <Trouble problem={pages.error} onRetry={() => void pages.refetch()} />}
      {board ? (
        <Shown
          board={board}
          isWhole={!pages.hasNextPage}
          filter={filter}
          onFilter={setFilter}
          sorting={sorting}
          onSort={setSorting}
        />
      ) : (
        !pages.error && <Loading what={texts.theSwitchboard} />
      )}
      {pages.hasNextPage && (
        <Button disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {pages.isFetchingNextPage ? texts.loading : texts.showOlderConversations}
        </Button>
      )}
    </Screen>
  )
}

interface ShownProps {
  readonly board: Board
  /** Whether the board contains all conversations. */
  readonly isWhole: boolean
  readonly filter: Filter
  readonly onFilter: (filter: Filter) => void
  readonly sorting: Sorting
  readonly onSort: (sorting: Sorting) => void
}

function Shown({ board, isWhole, filter, onFilter, sorting, onSort }: ShownProps) {
  const [hasTable, hasMap] = [useIsWide(1024), useIsWide(640)]
  const { asked, onVerb, close } = useVerbs()
  // The bench P12 measures the wait by this mark.
  useEffect(() => void performance.mark('switchboard-shown'), [])
  const teams = useMemo(() => new Map(board.teams.map((team) => [team.name, team])), [board.teams])
  const sessions = useMemo(() => sorted(filtered(board.sessions, filter), sorting), [board.sessions, filter, sorting])
  const mapped = useMemo(() => boardFor(board, filter), [board, filter])
  const chosen = filter.team === undefined ? undefined : teams.get(filter.team)
  const participants = [...new Set([...teams.keys(), ...board.sessions.map(({ from }) => from)])].toSorted()
  const select = (name: string): void => onFilter({ ...filter, team: filter.team === name ? undefined : name })
  return (
    <>
      {hasMap && <SwitchboardMap board={mapped} selected={filter.team} onSelect={select} />}
      {chosen && <TeamPanel team={chosen} sessions={board.sessions} />}
      <InTurn>
        <Filters filter={filter} participants={participants} onChange={onFilter}>
          {isEverything(filter) || !isWhole
            ? texts.conversations(sessions.length)
            : texts.shownOf(sessions.length, texts.conversations(board.sessions.length))}
        </Filters>
      </InTurn>
      <InTurn>
        {sessions.length === 0 ? (
          <Nothing isFiltered={board.sessions.length > 0} />
        ) : hasTable ? (
          <SessionsTable sessions={sessions} teams={teams} onVerb={onVerb} sorting={sorting} onSort={onSort} />
        ) : (
          <SessionCards sessions={sessions} teams={teams} onVerb={onVerb} />
        )}
      </InTurn>
      {asked && <VerbDialog verb={asked.verb} session={currentOf(asked.session, board)} onClose={close} />}
    </>
  )
}

/** A session that is no longer on the board has been archived. */
function currentOf(session: Board['sessions'][number], { sessions }: Board): Board['sessions'][number] {
  return sessions.find(({ sessionId }) => sessionId === session.sessionId) ?? { ...session, status: 'archived' }
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty title={texts.noConversationMatchesRemove} />
  return (
    <Empty title={texts.noMessagesYet}>
      <p>{texts.chooseNewConversationOr}</p>
    </Empty>
  )
}
