import { existsSync } from 'node:fs'
import { IrisError } from '../../../base/protocol/error.ts'
import { claudeFile } from '../../../platform/config/claude-file.ts'
import type { Environment } from '../../../platform/config/home.ts'
import { addWords, claudeState, runClaude, serversIn } from './claude.ts'
import { type Entry, isEntry, serverName } from './entry.ts'
import { projectFile, serversOf, textOf, writeServer } from './project-file.ts'
import type { Registration } from './record.ts'

/** A place where Iris can be registered, and what it contains now. */
export interface Place {
  readonly scope: Registration['scope']
  /** Absolute path. */
  readonly file: string
  readonly hadFile: boolean
  /** Whether the file has `mcpServers`. */
  readonly hadServers: boolean
  /** The registration under Iris's name, if any. */
  readonly found: unknown
}

/** The place for all projects of the user. */
export function userPlace(env: Environment): Place {
  const file = claudeFile(env)
  const servers = serversIn(claudeState(file))
  return {
    scope: 'user',
    file,
    hadFile: existsSync(file),
    hadServers: servers !== undefined,
    found: servers?.[serverName],
  }
}

/** The place for everybody who works in one project; `directory` is a real path. */
export function projectPlace(directory: string): Place {
  const file = projectFile(directory)
  const text = textOf(file)
  const servers = text === null ? undefined : serversOf(file, text)
  return {
    scope: 'project',
    file,
    hadFile: text !== null,
    hadServers: servers !== undefined,
    found: servers?.[serverName],
  }
}

/**
 * Registers Iris there and replaces an entry by the same name. Throws the errors that Claude Code and the file cause.
 */
export async function register(place: Place, entry: Entry, env: Environment): Promise<Registration> {
  const { found, ...facts } = place
  const before = { ...facts, entry, ...(found !== undefined && { replaced: found }) }
  if (place.scope === 'project') return { ...before, edit: await writeServer(place.file, entry) }
  if (found !== undefined) await runClaude(env, removeWords)
  await runClaude(env, addWords(entry))
  if (!isEntry(userPlace(env).found, entry)) {
    const what = `Claude Code reported that it had added Iris, but Iris is not in ${place.file}.`
    throw new IrisError('claude_failed', what, 'Run "claude mcp get iris" for details.')
  }
  const { CLAUDE_CONFIG_DIR: configDirectory } = env
  return { ...before, ...(configDirectory && { configDirectory }) }
}

const removeWords = ['mcp', 'remove', '--scope', 'user', serverName]
