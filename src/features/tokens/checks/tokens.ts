import type { CheckContext, Diagnosis } from '../../../app/doctor/check-context.ts'
import { roleOf } from '../../../platform/config/roles.ts'
import { readTokens, type SavedProgram } from '../token-file.ts'

const check = 'tokens'

/** Reports programs that still use the shared token, and tokens that no longer do what they were made for. */
export function tokens({ paths, config }: CheckContext): readonly Diagnosis[] {
  const saved = readTokens(paths.tokens)
  const programs = Object.entries(saved?.programs ?? {})
  if (saved === undefined || programs.length === 0) return []
  const { sharedUsedAt, sharedUsedBy = 'a program' } = saved
  const wrong = programs.flatMap(([name, program]) => problemsOf(name, program, config))
  const summary = `tokens of ${programs.map(([name]) => name).join(', ')}`
  if (sharedUsedAt === undefined) return [{ check, state: 'ok', detail: summary }, ...wrong]
  const detail = `${summary}; the token of all programs was last used on ${new Date(sharedUsedAt).toISOString()}, by ${sharedUsedBy}`
  const remedy = 'iris token create, for each program that still uses it; then replace the token of all programs: rm'
  return [{ check, state: 'warn', detail, remedy: `${remedy} ${paths.token}, then "iris restart"` }, ...wrong]
}

function problemsOf(
  name: string,
  { teams, role, callbacks = [], address }: SavedProgram,
  config: CheckContext['config'],
): readonly Diagnosis[] {
  const { publicUrl } = config.settings
  const gone = teams.filter((team) => !team.includes('@') && !config.teams.has(team))
  const lost = callbacks.filter((callback) => !config.callbacks.has(callback))
  const problems = [
    ...(lost.length > 0 ? [`may name ${lost.join(', ')}, which is no callback any more`] : []),
    ...(gone.length > 0 ? [`may ask ${gone.join(', ')}, which is no team any more`] : []),
    ...(role !== undefined && !config.roles.has(role)
      ? [`has the role ${role}, which is gone: it may ask nobody`]
      : []),
    ...(role !== undefined && config.roles.has(role) && teams.every((team) => isRefused(team, role, config))
      ? [`has the role ${role}, which may ask none of its teams`]
      : []),
    ...(address !== undefined && address !== publicUrl ? [`counts at ${address}, where Iris does not answer`] : []),
  ]
  const remedy = `iris token revoke ${name}, then "iris token create ${name} …"`
  return problems.map((problem) => ({ check, state: 'warn', detail: `the token of ${name} ${problem}`, remedy }))
}

function isRefused(team: string, role: string, config: CheckContext['config']): boolean {
  return roleOf(config, role).teams?.includes(team) === false
}
