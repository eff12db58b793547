import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { plainFile } from '../../../base/lib/plain-file.ts'
import type { Config } from '../../../platform/config/config.ts'
import { type Environment, homePaths, irisHome, userHome } from '../../../platform/config/home.ts'
import { unadoptedIn } from '../../../platform/config/home-record.ts'
import { isInside } from '../../../platform/config/is-inside.ts'
import { loadConfig } from '../../../platform/config/load.ts'
import { removeCompletion } from '../completion/shell-file.ts'
import { stopDaemon } from '../daemon-control.ts'
import { knownDaemon } from '../find-daemon.ts'
import { isServiceOf, managerOf, removeService } from '../service/manager.ts'
import { undoAllowedTools } from './allow-tools.ts'
import { serverName } from './entry.ts'
import { projectsWithIris } from './found-projects.ts'
import { enabledPlugin } from './plugin.ts'
import { purge } from './purge.ts'
import { registrations, restoreFile, type Told } from './restore-file.ts'
import { emptySessionDirectories, removeDirectory } from './session-directories.ts'

interface UndoOptions {
  readonly dryRun: boolean
  /** Also removes the home. */
  readonly purges: boolean
  /** How the shells call this Iris. */
  readonly command: string
}

/** Undoes the installation step by step and yields each step; with `dryRun` it only says what it would do. */
export async function* undoInstall(env: Environment, { dryRun, purges, command }: UndoOptions): AsyncGenerator<Told> {
  const home = irisHome(env)
  const record = homePaths(home).installed
  // An unreadable record throws here, before anything is changed.
  const registered = isCopied(home) ? [] : registrations(record, env)
  const manager = managerOf(env)
  if (isServiceOf(manager, home)) {
    if (!dryRun) await removeService(manager, env)
    yield { text: `${dryRun ? 'Would remove' : 'Removed'} the service, ${manager.file}.` }
  }
  if (knownDaemon(home)) {
    if (!dryRun) await stopDaemon(home, env)
    yield { text: dryRun ? 'Would stop Iris.' : 'Iris has stopped.' }
  }
  for (const each of registered) yield restoreFile(each, { env, record, dryRun })
  const allowed = isCopied(home) ? undefined : await undoAllowedTools(record, dryRun)
  if (allowed !== undefined) yield allowed
  if (registered.length > 0 && !dryRun) {
    yield { text: 'Close every open Claude Code: it still has iris, and would start Iris again.' }
  }
  // Mistakes in config.yaml must not prevent uninstalling.
  const config = await loadConfig({ home, env }).catch(() => undefined)
  if (config !== undefined) yield* fromProjects(config, dryRun)
  else yield { text: 'config.yaml has a mistake, so the directories that Iris made in projects for its sessions stay.' }
  for (const file of removeCompletion(command, env, dryRun)) {
    yield { text: `${dryRun ? 'Would remove' : 'Removed'} the completion of iris from ${file}.` }
  }
  for (const text of notIrisOwn(env)) yield { text }
  if (!existsSync(home)) return
  if (!purges) return yield { text: `${home} stays, with all conversations; "iris uninstall --purge" removes it.` }
  const store = config?.database.path ?? home
  const done = dryRun ? [`Would remove ${home}, with all conversations.`] : purge(home)
  if (!isInside(home, store) && existsSync(store)) done.push(`The store is elsewhere and stays: ${store}.`)
  for (const text of done) yield { text }
}

/**
 * Whether this home is a copy. What the original installed belongs to the original: the copy only has a copy of the
 * record.
 */
function isCopied(home: string): boolean {
  const isThere = (of: string): number | undefined => (existsSync(homePaths(of).storeMemory) ? 1 : undefined)
  const kind = unadoptedIn(home, isThere)?.kind
  return kind === 'copy' || kind === 'linked'
}

function* fromProjects({ teams, settings }: Config, dryRun: boolean): Generator<Told> {
  for (const each of emptySessionDirectories(
    [...teams.values()].filter(({ remote }) => remote === undefined),
    settings.sessionMcpPath,
  )) {
    if (!dryRun) removeDirectory(each)
    yield { text: `${dryRun ? 'Would remove' : 'Removed'} ${join(each.root, ...each.names)}, made for sessions.` }
  }
}

/** Sentences about what stays because the person set it up by other means. */
function notIrisOwn(env: Environment): readonly string[] {
  const plugin = enabledPlugin(env)
  return [
    ...(plugin === undefined ? [] : [`The plugin ${plugin} stays. To remove it: claude plugin uninstall ${plugin}`]),
    ...projectsWithIris(env).map(
      (path) =>
        `Your own registration of iris in ${path} stays. To remove it, run there: claude mcp remove --scope local ${serverName}`,
    ),
    ...completionFiles(env).map((file) => `${file} loads the completion of iris. Remove that line yourself.`),
  ]
}

/** The files that load a completion, although `iris completion --install` of this Iris did not add it. */
function completionFiles(env: Environment): readonly string[] {
  const files = ['.bashrc', '.zshrc', '.config/fish/completions/iris.fish'].map((name) => join(userHome(env), name))
  return files.filter((file) => existsSync(file) && /iris (__)?complet/.test(plainFile(file)))
}
