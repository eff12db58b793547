import { stringify } from 'yaml'
import { Database, Settings, TeamEntry } from './schema.ts'
import { asEntry, type Entry } from './team-rules.ts'

/**
 * The config.yaml for an older teams.json; undefined if that is not a JSON object. Unknown keys and `env` are mentioned
 * in comments without their values, because this text ends up in logs.
 */
export function yamlFromTeamsJson(json: string): string | undefined {
  const file = asEntry(parsed(json))
  if (!file) return undefined
  const left: string[] = []
  const settings = kept(asEntry(file['settings']) ?? {}, Object.keys(Settings.shape), 'settings', left)
  const database = kept(asEntry(file['database']) ?? {}, Object.keys(Database.shape), 'database', left)
  const teams = new Map(
    Object.entries(asEntry(file['teams']) ?? {}).map(([name, team]) => [
      name,
      convertedTeam(name, asEntry(team) ?? {}, left),
    ]),
  )
  const others = Object.keys(file).filter((key) => !['settings', 'database', 'teams'].includes(key))
  const sections = Object.entries({ settings, database, teams }).filter(([, section]) => section.size > 0)
  const notes = [...others, ...left].map((key) => `# not taken over: ${JSON.stringify(key)}\n`)
  return notes.join('') + stringify(new Map(sections), { lineWidth: 0 }).trimEnd()
}

function convertedTeam(name: string, team: Entry, left: string[]): Map<string, unknown> {
  const { project, path, skipPermissions, ...rest } = team
  const mode = skipPermissions === true && rest['grantPermission'] === undefined ? dangerousMode : {}
  // The older form used `project` if both were given.
  const entry = { path: project ?? path, ...rest, ...mode }
  return kept(entry, Object.keys(TeamEntry.shape), `teams.${name}`, left)
}

const dangerousMode = { grantPermission: 'yes', dangerous: true }

function kept(entry: Entry, known: readonly string[], at: string, left: string[]): Map<string, unknown> {
  const result = new Map<string, unknown>()
  for (const [key, value] of Object.entries(entry)) {
    if (known.includes(key) && key !== 'env') result.set(key, escaped(value))
    else left.push(`${at}.${key}`)
  }
  return result
}

/**
 * Escapes `${`: teams.json had no variables. The replacement is a function, because `$$` in a replacement text means
 * one dollar.
 */
function escaped(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${')
  return Array.isArray(value) ? value.map(escaped) : value
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
