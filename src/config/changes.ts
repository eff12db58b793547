import { isDeepStrictEqual } from 'node:util'
import type { Config } from './config.ts'

/** What a saved configuration changes, by name; no values, they may be secrets. */
export interface ConfigChanges {
  readonly teamsAdded: readonly string[]
  readonly teamsRemoved: readonly string[]
  /** Such as `settings.maxProcesses` or `teams.backend.model`. */
  readonly keys: readonly string[]
}

export function changesBetween(before: Config, after: Config): ConfigChanges {
  const names = [...after.teams.keys()]
  const stayed = names.filter((name) => before.teams.has(name))
  return {
    teamsAdded: names.filter((name) => !before.teams.has(name)),
    teamsRemoved: [...before.teams.keys()].filter((name) => !after.teams.has(name)),
    keys: [
      ...changedKeys('settings', before.settings, after.settings),
      ...changedKeys('database', before.database, after.database),
      ...stayed.flatMap((name) => changedKeys(`teams.${name}`, before.teams.get(name)!, after.teams.get(name)!)),
    ],
  }
}

/** They take effect when Iris starts. */
const onlyAtStart = ['settings.httpPort', 'database.path']

/** The keys of the configuration that say something else than what this daemon was started with and cannot change. */
export function needingRestart(started: Config, now: Config): string[] {
  const { keys } = changesBetween(started, now)
  return keys.filter((key) => onlyAtStart.includes(key))
}

function changedKeys(part: string, before: object, after: object): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  const changed = [...keys].filter((key) => !isDeepStrictEqual(valueOf(before, key), valueOf(after, key)))
  // A link on the way that leads elsewhere changes the path too.
  return [...new Set(changed.map((key) => `${part}.${key === 'realPath' ? 'path' : key}`))].toSorted()
}

function valueOf(part: object, key: string): unknown {
  return (part as Readonly<Record<string, unknown>>)[key]
}
