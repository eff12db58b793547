import type { CheckContext, Diagnosis } from '../../../app/doctor/check-context.ts'
import type { CallbackConfig } from '../../../platform/config/config.ts'
import { proxyAccess } from '../../../platform/config/proxy.ts'
import { secretsIn } from '../secrets-in.ts'

const check = 'callbacks'
const remedy = 'docs/guide/callbacks.md says how'

/**
 * Checks that each callback has its secrets and the password of its proxy, and names callbacks whose addresses Iris
 * does not check.
 */
export async function callbacks({ config, home, env }: CheckContext): Promise<readonly Diagnosis[]> {
  const all = [...config.callbacks.values()]
  const found = (await Promise.all(all.map((callback) => problemsOf(callback, home, env)))).flat()
  if (all.length === 0 || found.length > 0) return found
  return [{ check, state: 'ok', detail: `secrets of ${all.map(({ name }) => name).join(', ')}` }]
}

async function problemsOf(
  { name, secretFile, proxy }: CallbackConfig,
  home: string,
  env: CheckContext['env'],
): Promise<readonly Diagnosis[]> {
  const secrets = await secretsIn([secretFile].flat(), home, env)
  const way = proxy && (await proxyAccess(proxy, home, env))
  const failed = [secrets, ...(way ? [way] : [])].flatMap((one): Diagnosis[] =>
    'problem' in one ? [{ check, state: 'fail', detail: `${name}: ${one.problem}`, remedy }] : [],
  )
  if (proxy === undefined) return failed
  const detail = `${name} goes through a proxy, which resolves its address: Iris does not check where that leads`
  return [...failed, { check, state: 'warn', detail, remedy: `iris config unset callbacks.${name}.proxy` }]
}
