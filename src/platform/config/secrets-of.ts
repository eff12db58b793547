import { isSecretName } from '../../base/lib/redact.ts'
import type { Config } from './config.ts'
import type { Environment } from './home.ts'

/** Values of the configuration and of the daemon's environment that must not appear in a log or a report. */
export function secretsOf({ settings, teams, callbacks, insight }: Config, daemon: Environment): readonly string[] {
  const all = [settings, ...teams.values()]
  const forwarded = all.flatMap(({ forwardTo }) => [forwardTo?.secret ?? [], forwardTo?.url ?? []].flat())
  const environments = [daemon, ...all.map(({ env }): Environment => env)]
  const named = environments.flatMap((environment) =>
    Object.entries(environment).flatMap(([name, value]) => (value !== undefined && isSecretName(name) ? [value] : [])),
  )
  const addresses = [...callbacks.values()].map(({ url }) => url)
  return [...forwarded, ...addresses, ...named, ...Object.values(insight.traceHeaders)]
}
