import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDirectory } from '../../../base/lib/make-directory.ts'
import { withPath } from '../../../base/lib/replace-file.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { type Environment, homePaths, irisHome } from '../../../platform/config/home.ts'
import { refuseMistakes } from '../daemon-control.ts'
import { knownDaemon } from '../find-daemon.ts'
import { refuseInsideAgent } from '../inside-agent.ts'
import { allDone, answerOf, type Manager, managerOf, removeService } from '../service/manager.ts'
import { ownService, serviceOf } from '../service/own-service.ts'
import { nodeArguments } from '../spawn-daemon.ts'
import type { Given } from '../table/spec.ts'
import { lookAtDaemon } from './stop.ts'

interface ServiceOptions {
  readonly for?: string
  readonly dryRun?: boolean
}

/** Writes the service's file and starts the service where the manager runs; a second run changes nothing. */
export async function installService(given: Given): Promise<void> {
  const { context, env, options, json } = given
  refuseInsideAgent(env, 'make Iris a service')
  const { dryRun = false } = options as ServiceOptions
  const manager = managerIn(given)
  const { log } = homePaths(irisHome(env))
  const text = manager.text({
    command: [process.execPath, ...nodeArguments('start')],
    env: serviceEnvironment(env),
    log,
  })
  const isThere = existsSync(manager.file) && readFileSync(manager.file, 'utf8') === text
  if (dryRun) {
    if (json) return context.sayJson({ file: manager.file, text, commands: manager.enable })
    context.say(`Would write ${manager.file}:\n\n${text}`)
    return context.say(`Would run:\n${manager.enable.map((words) => `  ${words.join(' ')}`).join('\n')}`)
  }
  const home = irisHome(env)
  await refuseMistakes(home, env, await lookAtDaemon(context, home))
  if (!isThere) {
    makeDirectory(dirname(manager.file), 0o777)
    makeDirectory(dirname(log))
    try {
      writeFileSync(manager.file, text)
    } catch (error) {
      throw withPath(error, manager.file)
    }
  }
  const enabled = await enable(manager, isThere, env)
  const byHand = enabled ? await pidByHand(env) : undefined
  if (json)
    return context.sayJson({ file: manager.file, written: !isThere, enabled, ...(byHand && { runsByHand: byHand }) })
  context.say(isThere ? `${manager.file} is up to date.` : `Wrote ${manager.file}.`)
  if (byHand)
    return context.say(
      `Iris is already running, started by hand (pid ${byHand}): run "iris restart" to let the service take over.`,
    )
  if (enabled) return context.say('Iris is running, and starts with your session from now on.')
  context.say(`${manager.name} does not answer here. Where it does, run:`)
  for (const words of manager.enable) context.say(`  ${words.join(' ')}`)
}

/** Stops the service and deletes its file; Iris's home stays. */
export async function uninstallService(given: Given): Promise<void> {
  const { context, env, options, json } = given
  refuseInsideAgent(env, 'change its service')
  const { dryRun = false } = options as ServiceOptions
  const manager = managerIn(given)
  const isThere = existsSync(manager.file)
  if (isThere && !dryRun) await removeService(manager, env)
  if (json) return context.sayJson({ file: manager.file, removed: isThere && !dryRun })
  context.say(
    isThere ? `${dryRun ? 'Would remove' : 'Removed'} ${manager.file}.` : 'Iris is not installed as a service here.',
  )
}

export async function serviceStatus(given: Given): Promise<void> {
  const { context } = given
  const manager = managerIn(given)
  const installed = existsSync(manager.file)
  const active = installed && (await answerOf(manager.state, given.env)) !== undefined
  if (given.json) return context.sayJson({ manager: manager.name, file: manager.file, installed, active })
  if (!installed) return context.say('Iris is not installed as a service here: "iris service install" installs it.')
  context.say(`${manager.file} exists; ${manager.name} reports that the service ${active ? 'is' : 'is not'} running.`)
}

/**
 * The pid of a daemon that was started by hand and so keeps the service from running; undefined if there is none, or if
 * that is unknown.
 */
async function pidByHand(env: Environment): Promise<number | undefined> {
  const home = irisHome(env)
  const pid = knownDaemon(home)?.pid
  if (pid === undefined || (await ownService(home, env))?.pid === undefined) return undefined
  return (await serviceOf(pid, home, env)) === undefined ? pid : undefined
}

function managerIn({ env, options }: Given): Manager {
  const wanted = (options as ServiceOptions).for
  if (wanted === undefined || wanted === 'systemd' || wanted === 'launchd') return managerOf(env, wanted)
  throw new IrisError('invalid_input', `There is no service manager "${wanted}" here.`, 'Use systemd or launchd.')
}

/** A service does not get a terminal's environment, so this is what the daemon needs to find its home and `claude`. */
function serviceEnvironment(env: Environment): Record<string, string> {
  const { PATH, CLAUDE_CONFIG_DIR } = env
  return {
    IRIS_HOME: irisHome(env),
    ...(PATH !== undefined && { PATH }),
    ...(CLAUDE_CONFIG_DIR !== undefined && { CLAUDE_CONFIG_DIR }),
  }
}

/**
 * Enables the service. launchd refuses to load a service that is already loaded, so a changed one is unloaded first.
 */
async function enable(manager: Manager, isSame: boolean, env: Environment): Promise<boolean> {
  const isLoaded = manager.renew !== undefined && (await answerOf(manager.state, env)) !== undefined
  if (isLoaded && isSame) return true
  if (isLoaded) await answerOf(manager.renew, env)
  return allDone(manager, manager.enable, env)
}
