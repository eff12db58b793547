import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Environment, homePaths, irisHome, userHome } from '../../config/home.ts'
import { loadConfig } from '../../config/load.ts'
import { stopDaemon } from '../daemon-control.ts'
import { knownDaemon } from '../find-daemon.ts'
import { isServiceOf, managerOf, removeService } from '../service/manager.ts'
import { purge } from './purge.ts'
import { emptySessionDirectories, removeDirectory } from './session-directories.ts'
import { registrations, type Told, takeBack } from './take-back.ts'

interface TakenBackOptions {
  readonly dryRun: boolean
  /** The home goes, too. */
  readonly purges: boolean
}

/** Takes back one thing after the other, each told when it is done; with `dryRun` only told. */
export async function* takenBack(env: Environment, { dryRun, purges }: TakenBackOptions): AsyncGenerator<Told> {
  const home = irisHome(env)
  const record = homePaths(home).installed
  // What cannot be read is said before anything is done.
  const registered = registrations(record, env)
  const manager = managerOf(env)
  if (isServiceOf(manager, home)) {
    if (!dryRun) await removeService(manager, env)
    yield { text: `${dryRun ? 'Would remove' : 'Removed'} the service, ${manager.file}.` }
  }
  if (knownDaemon(home)) {
    if (!dryRun) await stopDaemon(home, env)
    yield { text: dryRun ? 'Would stop Iris.' : 'Iris has stopped.' }
  }
  for (const each of registered) yield takeBack(each, { env, record, dryRun })
  if (registered.length > 0 && !dryRun) {
    yield { text: 'A Claude Code that is open still has it, and would start Iris again: close it.' }
  }
  yield* fromProjects(env, dryRun)
  for (const file of completionFiles(env)) {
    yield { text: `${file} loads the completion of iris: take that out yourself.` }
  }
  if (!existsSync(home)) return
  if (!purges) return yield { text: `${home} stays, with all conversations; "iris uninstall --purge" removes it.` }
  const done = dryRun ? [`Would remove ${home}, with all conversations.`] : purge(home)
  for (const text of done) yield { text }
}

/** A configuration with mistakes keeps nobody from uninstalling. */
async function* fromProjects(env: Environment, dryRun: boolean): AsyncGenerator<Told> {
  const config = await loadConfig({ home: irisHome(env), env }).catch(() => undefined)
  if (config === undefined) return
  for (const each of emptySessionDirectories([...config.teams.values()], config.settings.sessionMcpPath)) {
    if (!dryRun) removeDirectory(each)
    yield { text: `${dryRun ? 'Would remove' : 'Removed'} ${join(each.root, ...each.names)}, made for sessions.` }
  }
}

/** Where docs/guide/command.md and the command itself say to put it. */
function completionFiles(env: Environment): readonly string[] {
  const files = ['.bashrc', '.zshrc', '.config/fish/completions/iris.fish'].map((name) => join(userHome(env), name))
  return files.filter((file) => existsSync(file) && /iris (__)?complet/.test(readFileSync(file, 'utf8')))
}
