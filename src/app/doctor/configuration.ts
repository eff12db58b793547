import { existsSync } from 'node:fs'
import { doubtsOf } from '../../platform/config/doubts.ts'
import type { CheckContext, Diagnosis } from './check-context.ts'

const check = 'configuration'

export function configuration({ config, mistake, paths }: CheckContext): readonly Diagnosis[] {
  if (mistake !== undefined)
    return [{ check, state: 'fail', detail: mistake.message, remedy: `iris config edit\n${mistake.remedy}` }]
  const { file, teams } = config
  if (teams.size === 0) {
    const detail = existsSync(paths.config) ? `${file} has no teams yet` : `${file} does not exist yet`
    return [{ check, state: 'warn', detail, remedy: 'iris add-team <project directory>' }]
  }
  return [
    { check, state: 'ok', detail: `${file}, teams: ${[...teams.keys()].join(', ')}` },
    ...unusable(config),
    ...doubts(config),
    ...runsUnapproved(config),
  ]
}

function unusable(config: CheckContext['config']): readonly Diagnosis[] {
  return config.unusable.map(({ what: detail, remedy }) => ({ check, state: 'fail', detail, remedy }))
}

function doubts(config: CheckContext['config']): readonly Diagnosis[] {
  return doubtsOf(config).map(({ text: detail, remedy }) => ({ check, state: 'warn', detail, remedy }))
}

/** Warns of teams with `grantPermission: yes`: intended, but it should not be forgotten. */
function runsUnapproved({ teams }: CheckContext['config']): readonly Diagnosis[] {
  const free = [...teams.values()].filter((team) => team.grantPermission === 'yes')
  if (free.length === 0) return []
  const detail = `nobody is asked before a tool of ${free.map(({ name }) => name).join(', ')} runs (grantPermission: yes)`
  const remedy = free.map(({ name }) => `iris config set teams.${name}.grantPermission ask`).join('\n')
  return [{ check: 'permissions', state: 'warn', detail, remedy }]
}
