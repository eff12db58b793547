import type { ConfigChange } from '../../base/protocol/config-problem.ts'
import { changedPaths, changesBetween } from './changes.ts'
import type { Config } from './config.ts'
import { dangerAt } from './danger.ts'
import { metadataOf } from './field-metadata.ts'
import { type KeyPath, keyText } from './problem.ts'
import { plainTree } from './scalars.ts'
import { fieldAt } from './shape-words.ts'
import { asEntry } from './team-rules.ts'

/** What saving does, key by key. The texts are without secrets: only they say what may be shown. */
export function changesIn(before: Config, beforeText: string, after: Config, afterText: string): ConfigChange[] {
  const { teamsAdded, teamsRemoved } = changesBetween(before, after)
  const [former, next] = [plainTree(beforeText), plainTree(afterText)]
  const told = (path: KeyPath, dangerous: string | undefined): ConfigChange => ({
    key: keyText(path),
    from: valueAt(former, path) ?? defaultOf(path, before),
    to: valueAt(next, path) ?? defaultOf(path, after),
    needsRestart: metadataOf(fieldAt(path)!).restart === true,
    ...(dangerous !== undefined && { dangerous }),
  })
  const added = teamsAdded.map((name): KeyPath => ['teams', name])
  return [
    ...[...changedPaths(before, after), ...added].map((path) => told(path, dangerAt(path, before, after))),
    // What is gone may nothing any more.
    ...teamsRemoved.map((name) => told(['teams', name], undefined)),
  ]
}

function valueAt(tree: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>((value, key) => asEntry(value)?.[String(key)], tree)
}

/** What nobody wrote is no secret. */
function defaultOf(path: KeyPath, { settings, database, teams }: Config): unknown {
  const [section, name, key] = path.map(String)
  if (section === 'teams' && key === undefined) return null
  const part = section === 'teams' ? teams.get(name!) : section === 'settings' ? settings : database
  return asEntry(part)?.[key ?? name!] ?? null
}
