import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useMemo } from 'react'
import { useOperation } from '../../shared/api/use-operation.ts'
import { InTurn } from '../../shared/ui/in-turn.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Screen } from '../../shared/ui/screen.tsx'
import { Empty, Loading } from '../../shared/ui/states.tsx'
import { BusiestPairs } from './busiest-pairs.tsx'
import { type SpanName, StatisticsControls, spans } from './statistics-controls.tsx'
import { texts } from './texts.ts'
import { Totals } from './totals.tsx'

/** Loads the drawing code, which no other screen needs. */
const Charts = lazy(() => import('./charts.tsx').then(({ Charts }) => ({ default: Charts })))

export function StatisticsScreen() {
  const { span: spanned = '', team = '' } = useSearch({ from: '/statistics' })
  const span: SpanName = spanned in spans ? (spanned as SpanName) : '7 d'
  const navigate = useNavigate()
  const choose = (chosen: { readonly span?: SpanName; readonly team?: string }): void =>
    void navigate({ to: '/statistics', search: (before) => ({ ...before, ...chosen }) })
  // The span ends at the moment when it is chosen.
  const since = useMemo(() => (spans[span] === undefined ? 0 : Date.now() - spans[span]), [span])
  const filter = { since, ...(team !== '' && { team }) }
  const totals = useOperation('session_stats', filter)
  const overTime = useOperation('stats_over_time', { ...filter, offsetMinutes: -new Date().getTimezoneOffset() })
  return (
    <Screen title={texts.statistics}>
      <StatisticsControls
        {...{ span, team }}
        onSpan={(chosen) => choose({ span: chosen })}
        onTeam={(chosen) => choose({ team: chosen })}
      />
      <QueryView query={totals} what={texts.theFigures}>
        {(stats) =>
          stats.turns.total === 0 ? (
            <Empty title={texts.noMessageWasAsked}>
              <p>{texts.chooseALongerTime}</p>
            </Empty>
          ) : (
            <>
              <Totals stats={stats} />
              <QueryView query={overTime} what={texts.theFiguresOverTime}>
                {(figures) => (
                  <Suspense fallback={<Loading what={texts.theCharts} />}>
                    <Charts figures={figures} />
                  </Suspense>
                )}
              </QueryView>
              <InTurn>
                <BusiestPairs pairs={stats.busiestPairs} />
              </InTurn>
            </>
          )
        }
      </QueryView>
    </Screen>
  )
}
