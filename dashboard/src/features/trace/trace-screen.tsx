import { Link, useParams } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import { useOperation } from '../../shared/api/use-operation.ts'
import { askerName } from '../../shared/format/asker.ts'
import { Button } from '../../shared/ui/button.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Screen } from '../../shared/ui/screen.tsx'
import { useNow } from '../../shared/ui/time-since.tsx'
import { grown, type Trace } from './grown.ts'
import { texts } from './texts.ts'
import { Totals } from './totals.tsx'
import { TraceTable } from './trace-table.tsx'
import { useTreeChanges } from './use-tree-changes.ts'
import { Waterfall } from './waterfall.tsx'

const [firstTurns, mostTurns] = [300, 1000]

/** One initial ask and everything it caused. */
export function TraceScreen() {
  const { turnId } = useParams({ from: '/traces/$turnId' })
  const [limit, setLimit] = useState(firstTurns)
  const [asTable, setAsTable] = useState(false)
  const query = useOperation('trace_turn', { turnId, limit }, { staleTime: 0 })
  const { data, dataUpdatedAt, refetch } = query
  const turnIds = useMemo(() => new Set(data?.turns.map((turn) => turn.turnId)), [data])
  useTreeChanges(turnIds, () => void refetch())
  const actions = (
    <>
      <Link to="/traces" className="text-accent underline">
        {texts.allTraces}
      </Link>
      {data?.link !== undefined && (
        <a href={data.link} target="_blank" rel="noreferrer" className="text-accent underline">
          {texts.inYourViewer}
        </a>
      )}
      <Button aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
        {asTable ? texts.showAsBars : texts.showAsATable}
      </Button>
    </>
  )
  return (
    <Screen title={titleOf(data)} actions={actions}>
      <QueryView query={query} what={texts.theTrace}>
        {(trace) => (
          <>
            <Grown trace={trace} since={dataUpdatedAt}>
              {(now) => (
                <>
                  <Totals trace={now} />
                  {asTable ? <TraceTable trace={now} /> : <Waterfall trace={now} />}
                </>
              )}
            </Grown>
            {trace.toolsLeftOut && <p className="text-warn">{texts.notAllToolsAre}</p>}
            {trace.nextCursor !== undefined && (
              <p className="flex flex-wrap items-center gap-3">
                {texts.theFirstOfTurns(trace.turns.length, trace.tree.turns)}
                {limit < mostTurns && <Button onClick={() => setLimit(mostTurns)}>{texts.showMore}</Button>}
              </p>
            )}
          </>
        )}
      </QueryView>
    </Screen>
  )
}

interface GrownProps {
  readonly trace: Trace
  /** When the trace was requested, in milliseconds since the epoch, by this machine's clock. */
  readonly since: number
  readonly children: (trace: Trace) => ReactNode
}

/** The trace as it is now: running parts grow each second, ended parts are drawn once. */
function Grown(props: GrownProps) {
  const isRunning = props.trace.turns.some(({ settledAt }) => settledAt === null)
  return isRunning ? <Growing {...props} /> : props.children(props.trace)
}

function Growing({ trace, since, children }: GrownProps) {
  return children(grown(trace, trace.timestamp + Math.max(0, useNow() - since)))
}

function titleOf(trace: Trace | undefined): string {
  const root = trace?.turns.find(({ turnId }) => turnId === trace.rootTurnId)
  return root ? texts.traceOf(askerName(root.from), root.to) : texts.trace
}
