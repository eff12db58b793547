import type { Output } from '../../shared/api/operations.ts'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { texts } from './texts.ts'

type Check = Output<'get_health'>['healthChecks'][number]

/** The health checks, the newest first. */
export function HealthChecks({ checks }: { readonly checks: readonly Check[] }) {
  return (
    <section aria-labelledby="checks" className="flex flex-col gap-2">
      <h2 id="checks" className="font-semibold">
        {texts.healthChecks}
      </h2>
      {checks.length === 0 ? (
        <p className="text-muted">{texts.noneYetSettingsHealthcheckinterval}</p>
      ) : (
        <table className="w-full max-w-2xl text-left">
          <thead className="text-muted">
            <tr>
              <th className="py-1 pr-4 font-medium">{texts.when}</th>
              <th className="py-1 pr-4 font-medium">{texts.processes}</th>
              <th className="py-1 font-medium">{texts.hungAndEnded}</th>
            </tr>
          </thead>
          <tbody>
            {checks.toReversed().map(({ at, activeProcesses, maxProcesses, ended }) => (
              <tr key={at} className="border-line border-t tabular-nums">
                <td className="py-1 pr-4">
                  <TimeSince at={at} />
                </td>
                <td className="py-1 pr-4">{texts.processesOf(activeProcesses, maxProcesses)}</td>
                <td className={`py-1 ${ended > 0 ? 'text-warn font-medium' : ''}`}>{ended}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
