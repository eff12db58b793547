import { IrisError } from '../../../base/protocol/error.ts'
import type { Environment } from '../../../platform/config/home.ts'
import { claudeState, serversIn, unregister } from './claude.ts'
import { entryText, isEntry, ownEntries, serverName } from './entry.ts'
import { userPlace } from './place.ts'
import { removeServer, serversOf, textOf } from './project-file.ts'
import { forget, type Registration, readRecord } from './record.ts'

export interface Told {
  readonly text: string
  /** True if Iris could not do it, so that the person has to. */
  readonly isLeft?: true
}

/** The recorded registrations, and the user's registration of this Iris that was made by hand. */
export function registrations(record: string, env: Environment): readonly Registration[] {
  const known = readRecord(record)
  try {
    const { found, ...place } = userPlace(env)
    const entry = Object.values(ownEntries(env)).find((each) => isEntry(found, each))
    const isKnown = known.some(({ file }) => file === place.file)
    return entry === undefined || isKnown ? known : [...known, { ...place, entry, hadServers: true }]
  } catch {
    // Claude Code's file cannot be read, or this Iris cannot be registered.
    return known
  }
}

/** Restores one file and removes it from the record; says what was done. */
export async function restoreFile(
  registration: Registration,
  { env, record, dryRun }: { readonly env: Environment; readonly record: string; readonly dryRun: boolean },
): Promise<Told> {
  const { file, entry, replaced } = registration
  try {
    const found = foundIn(registration)
    if (!isEntry(found, entry)) {
      if (!dryRun) await forget(record, file)
      const stays =
        found === undefined ? 'no longer has iris.' : `now has a different iris, which stays: ${entryText(found)}`
      return { text: `${file} ${stays}` }
    }
    const instead = replaced === undefined ? '' : ` and restore ${entryText(replaced)}`
    if (dryRun) return { text: `Would remove iris from ${file}${instead}.` }
    if (registration.scope === 'project') await removeServer(registration)
    else await unregister(registration, environmentOf(registration, env))
    await forget(record, file)
    return { text: `Removed iris from ${file}${instead.replace(' and restore', ' and restored')}.` }
  } catch (error) {
    if (!(error instanceof IrisError)) throw error
    const how =
      registration.scope === 'user' ? ` Once that is fixed, run: claude mcp remove --scope user ${serverName}` : ''
    return { text: `${file} still has iris, because: ${error.message}${how}`, isLeft: true }
  }
}

function foundIn({ scope, file }: Registration): unknown {
  if (scope === 'user') return serversIn(claudeState(file))?.[serverName]
  const text = textOf(file)
  return text === null ? undefined : serversOf(file, text)?.[serverName]
}

/** The environment in which Claude Code changes that file. The configuration directory may have changed since. */
function environmentOf({ configDirectory }: Registration, env: Environment): Environment {
  const { CLAUDE_CONFIG_DIR: _, ...rest } = env
  return configDirectory === undefined ? rest : { ...rest, CLAUDE_CONFIG_DIR: configDirectory }
}
