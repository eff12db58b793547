import { useOperation } from '../../shared/api/use-operation.ts'
import { Button } from '../../shared/ui/button.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Screen } from '../../shared/ui/screen.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { HealthChecks } from './health-checks.tsx'
import { HealthFigures } from './health-figures.tsx'
import { IsolationTable } from './isolation-table.tsx'
import { Problems } from './problems.tsx'
import { texts } from './texts.ts'

/** The daemon's health, requested again with each of its health checks, and when something fails or works again. */
export function HealthScreen() {
  const query = useOperation('get_health', {})
  const actions = (
    <>
      {query.data && (
        <span className="text-muted">
          {texts.measured}
          <TimeSince at={query.data.timestamp} />
        </span>
      )}
      <Button onClick={() => void query.refetch()}>{texts.measureAgain}</Button>
    </>
  )
  return (
    <Screen title={texts.health} actions={actions}>
      <QueryView query={query} what={texts.theHealthOfThe}>
        {(health) => (
          <>
            <Problems health={health} />
            <details className="flex flex-col gap-4">
              <summary className="text-muted cursor-pointer">{texts.details}</summary>
              <div className="flex flex-col gap-4 pt-3">
                <HealthFigures health={health} />
                <HealthChecks checks={health.healthChecks} />
              </div>
            </details>
            <IsolationTable isolation={health.isolation} />
          </>
        )}
      </QueryView>
    </Screen>
  )
}
