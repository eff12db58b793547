import { isDeepStrictEqual } from 'node:util'
import { Cluster } from './cluster.ts'
import type { Config } from './config.ts'
import { metadataOf } from './field-metadata.ts'
import type { KeyPath } from './problem.ts'
import { Database, Settings } from './schema.ts'

/** The keys that a saved configuration changes. Values are left out, because they may be secrets. */
export interface ConfigChanges {
  readonly teamsAdded: readonly string[]
  readonly teamsRemoved: readonly string[]
  /** Such as `settings.maxProcesses` or `teams.backend.model`. */
  readonly keys: readonly string[]
}

export function changesBetween(before: Config, after: Config): ConfigChanges {
  return {
    teamsAdded: [...after.teams.keys()].filter((name) => !before.teams.has(name)),
    teamsRemoved: [...before.teams.keys()].filter((name) => !after.teams.has(name)),
    keys: changedPaths(before, after).map((path) => path.join('.')),
  }
}

/** The changed keys of the sections, and of the teams that exist in both configurations. */
export function changedPaths(before: Config, after: Config): KeyPath[] {
  const inTeams = [...after.teams].flatMap(([name, team]) => {
    const former = before.teams.get(name)
    return former === undefined ? [] : changedKeys(['teams', name], former, team)
  })
  return [
    ...changedKeys(['settings'], before.settings, after.settings),
    ...changedKeys(['database'], before.database, after.database),
    ...inTeams,
    ...changedKeys(['roles'], Object.fromEntries(before.roles), Object.fromEntries(after.roles)),
    ...changedKeys(['channels'], Object.fromEntries(before.channels), Object.fromEntries(after.channels)),
    ...changedKeys(['callbacks'], Object.fromEntries(before.callbacks), Object.fromEntries(after.callbacks)),
    ...changedKeys(['triggers'], Object.fromEntries(before.triggers), Object.fromEntries(after.triggers)),
    ...changedKeys(['insight'], before.insight, after.insight),
    ...changedKeys(['cluster'], before.cluster ?? {}, after.cluster ?? {}),
  ]
}

/** Keys that take effect only when Iris starts. */
const onlyAtStart = Object.entries({ settings: Settings, database: Database, cluster: Cluster }).flatMap(
  ([section, { shape }]) =>
    Object.entries(shape).flatMap(([key, field]) => (metadataOf(field).restart ? [`${section}.${key}`] : [])),
)

/** Keys that have changed since this daemon started, and whose new values take effect only after a restart. */
export function needingRestart(started: Config, now: Config): string[] {
  // No key of a team needs a restart, and comparing a thousand teams takes long.
  const { keys } = changesBetween(withoutTeams(started), withoutTeams(now))
  return keys.filter((key) => onlyAtStart.includes(key))
}

function withoutTeams(config: Config): Config {
  return { ...config, teams: new Map() }
}

function changedKeys(part: KeyPath, before: object, after: object): KeyPath[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  const changed = [...keys].filter((key) => !isDeepStrictEqual(valueOf(before, key), valueOf(after, key)))
  // If a link in the path leads elsewhere, or the directory has disappeared or reappeared, that counts as a change of
  // the path.
  const named = new Set(changed.map((key) => (key === 'realPath' || key === 'unusable' ? 'path' : key)))
  return [...named].toSorted().map((key) => [...part, key])
}

function valueOf(part: object, key: string): unknown {
  return (part as Readonly<Record<string, unknown>>)[key]
}
