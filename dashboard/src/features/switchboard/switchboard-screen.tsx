import { useEffect, useMemo, useState } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { Screen } from '../../shared/ui/screen.tsx'
import { Empty, Loading, Trouble } from '../../shared/ui/states.tsx'
import type { Board } from './changes.ts'
import { type Sorting, sorted } from './columns.ts'
import { everything, filtered, isEverything } from './filter.ts'
import { Filters } from './filters.tsx'
import { SwitchboardMap } from './map.tsx'
import { PoolActions } from './pool-actions.tsx'
import { SessionCards } from './session-cards.tsx'
import { SessionsTable } from './sessions-table.tsx'
import { TeamPanel } from './team-panel.tsx'
import { useBoard } from './use-board.ts'
import { useIsWide } from './use-size.ts'
import { useVerbs } from './use-verbs.ts'
import { VerbDialog } from './verb-dialog.tsx'

/** The map of teams and the live sessions between them, and the same as a table. */
export function SwitchboardScreen() {
  const [filter, setFilter] = useState(everything)
  const { board, pages } = useBoard(filter.withArchived)
  return (
    <Screen title="Switchboard" actions={board && <PoolActions pool={board.pool} />}>
      {pages.error && <Trouble problem={pages.error} onRetry={() => void pages.refetch()} />}
      {board ? (
        <Shown board={board} filter={filter} onFilter={setFilter} />
      ) : (
        !pages.error && <Loading what="the switchboard" />
      )}
      {pages.hasNextPage && (
        <Button disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {pages.isFetchingNextPage ? 'Loading…' : 'Show older conversations'}
        </Button>
      )}
    </Screen>
  )
}

interface ShownProps {
  readonly board: Board
  readonly filter: typeof everything
  readonly onFilter: (filter: typeof everything) => void
}

function Shown({ board, filter, onFilter }: ShownProps) {
  const [sorting, setSorting] = useState<Sorting>({ by: 'used', isFalling: true })
  const [hasTable, hasMap] = [useIsWide(1024), useIsWide(640)]
  const { asked, onVerb, close } = useVerbs()
  // How long one waited for it is measured by this (bench P12).
  useEffect(() => void performance.mark('switchboard-shown'), [])
  const teams = useMemo(() => new Map(board.teams.map((team) => [team.name, team])), [board.teams])
  const sessions = useMemo(() => sorted(filtered(board.sessions, filter), sorting), [board.sessions, filter, sorting])
  const chosen = filter.team === undefined ? undefined : teams.get(filter.team)
  const parties = [...new Set([...teams.keys(), ...board.sessions.map(({ from }) => from)])].toSorted()
  const select = (name: string): void => onFilter({ ...filter, team: filter.team === name ? undefined : name })
  return (
    <>
      {hasMap && <SwitchboardMap board={board} selected={filter.team} onSelect={select} />}
      {chosen && <TeamPanel team={chosen} sessions={board.sessions} />}
      <Filters filter={filter} parties={parties} onChange={onFilter}>
        {isEverything(filter) ? counted(sessions.length) : `${sessions.length} of ${counted(board.sessions.length)}`}
      </Filters>
      {sessions.length === 0 ? (
        <Nothing isFiltered={board.sessions.length > 0} />
      ) : hasTable ? (
        <SessionsTable sessions={sessions} teams={teams} onVerb={onVerb} sorting={sorting} onSort={setSorting} />
      ) : (
        <SessionCards sessions={sessions} teams={teams} onVerb={onVerb} />
      )}
      {asked && <VerbDialog verb={asked.verb} session={currentOf(asked.session, board)} onClose={close} />}
    </>
  )
}

/** What is no longer shown has been archived. */
function currentOf(session: Board['sessions'][number], { sessions }: Board): Board['sessions'][number] {
  return sessions.find(({ sessionId }) => sessionId === session.sessionId) ?? { ...session, status: 'archived' }
}

function counted(conversations: number): string {
  return conversations === 1 ? '1 conversation' : `${conversations} conversations`
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No conversation fits. Choose less, or show all." />
  return (
    <Empty title="Nobody has asked anybody yet.">
      <p>
        Ask a team: <code className="font-mono">iris tell &lt;team&gt; &lt;message&gt;</code>, or let one of your
        projects ask another one.
      </p>
    </Empty>
  )
}
