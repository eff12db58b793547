import { dirname, join } from 'node:path'
import { managedFiles } from '../../claude/driver/managed-settings.ts'
import type { SettingsFile, SettingsLevel } from '../../claude/driver/settings-login.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import type { Machine } from '../../platform/machine/machine.ts'
import { plainText } from '../../platform/machine/plain-text.ts'

/** A longer file is not a settings file. */
const maxBytes = 1024 * 1024
const managedThere = '/etc/claude-code/managed-settings.json'

/** The settings files that Claude Code applies in a project, in order of precedence, lowest first. */
export interface SettingsFiles {
  readonly files: readonly SettingsFile[]
  /** Paths of files that exist but cannot be read. */
  readonly unread: readonly string[]
}

type Found = { readonly text: string } | 'absent' | 'unread'
/** Reads a file at an absolute path, or one that begins with `~/` if the reader knows the home. */
type Reader = (path: string) => Promise<Found>
type Place = readonly [level: SettingsLevel, path: string]

/**
 * The settings files of a team. They are read with the rights of the team's agents, as Claude Code reads them, because
 * agents can learn their content. Throws MachineError and `host_unreachable`.
 */
export async function settingsOfTeam(
  { project, claude }: Pick<Machine, 'project' | 'claude'>,
  { realPath, remote }: Pick<TeamConfig, 'realPath' | 'remote'>,
): Promise<SettingsFiles> {
  const read: Reader = async (path) => {
    // Any of these files may be a link, for example if a person keeps settings in a repository. Claude Code follows
    // links.
    const found = await project.readText(path, { mostBytes: maxBytes, anywhere: true })
    return found.kind === 'unusable' ? 'unread' : found.kind === 'absent' ? 'absent' : found
  }
  const [people, managed] = await Promise.all([
    readAll(await placesOf(claude.path(['settings.json']), realPath, read), read),
    remote === undefined ? managedSettings() : readAll([['managed', managedThere]], read),
  ])
  return { files: [...people.files, ...managed.files], unread: [...people.unread, ...managed.unread] }
}

/**
 * The settings files of a project on this machine, read with the rights of this process. `directory` is undefined
 * outside any project.
 */
export async function settingsHere(directory: string | undefined, configDirectory: string): Promise<SettingsFiles> {
  const user = join(configDirectory, 'settings.json')
  const places = directory === undefined ? [['user', user] as const] : await placesOf(user, directory, readHere)
  const [people, managed] = await Promise.all([readAll(places, readHere), managedSettings()])
  return { files: [...people.files, ...managed.files], unread: [...people.unread, ...managed.unread] }
}

/** The settings files of this machine's administrator. */
export function managedSettings(): Promise<SettingsFiles> {
  return readAll(
    managedFiles().map((path) => ['managed', path] as const),
    readHere,
  )
}

const localSettings = '.claude/settings.local.json'

async function placesOf(user: string, directory: string, read: Reader): Promise<readonly Place[]> {
  const root = await repositoryOf(directory, read)
  return [
    ['user', user],
    ['project', join(directory, '.claude/settings.json')],
    ['local', join(directory, localSettings)],
    // Newer builds also apply the repository's local settings, with precedence over the project's.
    ...(root === undefined ? [] : [['local', join(root, localSettings)] as const]),
  ]
}

/**
 * The root of the repository of which the project is a subdirectory or a worktree. Undefined if the project is the root
 * itself, or is in no repository.
 */
async function repositoryOf(directory: string, read: Reader): Promise<string | undefined> {
  for (let at = directory; ; at = dirname(at)) {
    const found = await read(join(at, '.git'))
    // In a worktree, `.git` is a file that names the repository.
    const text = typeof found === 'string' ? '' : found.text
    const named = /^gitdir: (\/.*)\/\.git\/worktrees\/[^/]+\s*$/.exec(text)?.[1]
    if (named !== undefined) return named
    if (found !== 'absent') return at === directory ? undefined : at
    if (at === dirname(at)) return undefined
  }
}

const readHere: Reader = (path) => plainText(path, maxBytes)

async function readAll(places: readonly Place[], read: Reader): Promise<SettingsFiles> {
  const all = await Promise.all(places.map(async ([level, path]) => ({ level, path, found: await read(path) })))
  return {
    files: all.flatMap(({ level, path, found }) =>
      typeof found === 'string' ? [] : [{ level, path, text: found.text }],
    ),
    unread: all.flatMap(({ path, found }) => (found === 'unread' ? [path] : [])),
  }
}
