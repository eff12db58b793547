import { join } from 'node:path'
import { isRecord } from '../../base/lib/is-record.ts'

/** An agent that Claude Code can be in a project: of the project, the user, or built in. */
export interface AgentFacts {
  readonly name: string
  readonly description: string
  /** As its file says; undefined: the one Claude Code would use anyway. */
  readonly model: string | undefined
}

/** So many directories above a project are looked at. */
const mostAbove = 8

/**
 * What decides which agents there are: of the project and the directories above it, and of the user, whose directory of Claude
 * Code is given; plugins bring some, and the list of them changes with each.
 */
export function agentPlaces(configDirectory: string): readonly string[] {
  const own = ['agents', 'settings.json', 'plugins/installed_plugins.json'].map((name) => join(configDirectory, name))
  const above = Array.from({ length: mostAbove }, (_, index) => `${'../'.repeat(index + 1)}.claude/agents`)
  return ['.claude/agents', '.claude/settings.json', '.claude/settings.local.json', ...above, ...own]
}

/** What the answer to `initialize` says of them. */
export function agentsOf({ agents }: Readonly<Record<string, unknown>>): readonly AgentFacts[] {
  if (!Array.isArray(agents)) return []
  return agents.filter(isRecord).flatMap(({ name, description, model }) => {
    if (typeof name !== 'string') return []
    const own = typeof model === 'string' && model !== 'inherit' ? model : undefined
    return [{ name, description: typeof description === 'string' ? description : '', model: own }]
  })
}
