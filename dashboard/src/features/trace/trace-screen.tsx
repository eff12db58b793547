import { Link, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useOperation } from '../../shared/api/use-operation.ts'
import { Button } from '../../shared/ui/button.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Screen } from '../../shared/ui/screen.tsx'
import { useNow } from '../../shared/ui/time-since.tsx'
import { grown, type Trace } from './grown.ts'
import { Totals } from './totals.tsx'
import { TraceTable } from './trace-table.tsx'
import { useTreeChanges } from './use-tree-changes.ts'
import { Waterfall } from './waterfall.tsx'

const [firstTurns, mostTurns] = [300, 1000]

/** One first ask and everything it caused. */
export function TraceScreen() {
  const { turnId } = useParams({ from: '/traces/$turnId' })
  const [limit, setLimit] = useState(firstTurns)
  const [asTable, setAsTable] = useState(false)
  const query = useOperation('trace_turn', { turnId, limit })
  const { data, dataUpdatedAt, refetch } = query
  const turnIds = useMemo(() => new Set(data?.turns.map((turn) => turn.turnId)), [data])
  useTreeChanges(turnIds, () => void refetch())
  const passed = Math.max(0, useNow() - dataUpdatedAt)
  const actions = (
    <>
      <Link to="/traces" className="text-accent underline">
        All traces
      </Link>
      <Button aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
        {asTable ? 'Show as bars' : 'Show as a table'}
      </Button>
    </>
  )
  return (
    <Screen title={titleOf(data)} actions={actions}>
      <QueryView query={query} what="the trace">
        {(loaded) => {
          const trace = grown(loaded, loaded.timestamp + passed)
          return (
            <>
              <Totals trace={trace} />
              {asTable ? <TraceTable trace={trace} /> : <Waterfall trace={trace} />}
              {loaded.toolsLeftOut && (
                <p className="text-warn">There are more tools than are shown; times leave them out.</p>
              )}
              {loaded.nextCursor !== undefined && (
                <p className="flex flex-wrap items-center gap-3">
                  The first {loaded.turns.length} of {loaded.tree.turns} turns are shown.
                  {limit < mostTurns && <Button onClick={() => setLimit(mostTurns)}>Show more</Button>}
                </p>
              )}
            </>
          )
        }}
      </QueryView>
    </Screen>
  )
}

function titleOf(trace: Trace | undefined): string {
  const root = trace?.turns.find(({ turnId }) => turnId === trace.rootTurnId)
  return root ? `Trace: ${root.from} → ${root.to}` : 'Trace'
}
