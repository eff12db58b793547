import { join } from 'node:path'
import type { AgentFacts } from '../../base/agent/process.ts'
import { isRecord } from '../../base/lib/is-record.ts'

/** How many directories above a project to look at. */
const maxAbove = 8

/**
 * The files and directories that decide which agents exist: those of the project, of the directories above it and of
 * the user. `configDirectory` is the user's Claude Code directory. The list of plugins is included, because plugins
 * bring agents. Relative paths start at the project.
 */
export function agentPlaces(configDirectory: string): readonly string[] {
  const own = ['agents', 'settings.json', 'plugins/installed_plugins.json'].map((name) => join(configDirectory, name))
  const above = Array.from({ length: maxAbove }, (_, index) => `${'../'.repeat(index + 1)}.claude/agents`)
  return ['.claude/agents', '.claude/settings.json', '.claude/settings.local.json', ...above, ...own]
}

/** The agents in the CLI's answer to `initialize`. */
export function agentsOf({ agents }: Readonly<Record<string, unknown>>): readonly AgentFacts[] {
  if (!Array.isArray(agents)) return []
  return agents.filter(isRecord).flatMap(({ name, description, model }) => {
    if (typeof name !== 'string') return []
    const own = typeof model === 'string' && model !== 'inherit' ? model : undefined
    return [{ name, description: typeof description === 'string' ? description : '', model: own }]
  })
}
