import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Environment, userHome } from '../../../platform/config/home.ts'
import { launchAgent, namesHome, type ServiceFacts, systemdUnit } from './unit.ts'

const run = promisify(execFile)
/** How long a command of the manager may take, milliseconds: longer than a service takes to restart. */
const answerMs = 90_000
const label = 'iris.daemon'

/** The service manager of a user on this machine: the service's file, and the commands. */
export interface Manager {
  readonly name: 'systemd' | 'launchd'
  /** Absolute path of the service's file. */
  readonly file: string
  readonly text: (facts: ServiceFacts) => string
  /** Commands, run in order. */
  readonly enable: readonly (readonly string[])[]
  readonly disable: readonly (readonly string[])[]
  /** Unloads a loaded service whose file has changed. */
  readonly renew?: readonly string[]
  /** Succeeds where the manager runs. */
  readonly probe: readonly string[]
  readonly state: readonly string[]
  readonly start: readonly string[]
  /** If undefined, the daemon is asked to stop as usual; the manager does not restart it after a clean end. */
  readonly stop?: readonly string[]
  readonly restart?: readonly string[]
  /** Prints the pid of the service's process. */
  readonly pid?: readonly string[]
  /** Shows a person the state of the service, and why. */
  readonly moreFrom: readonly string[]
}

export function managerOf(env: Environment, wanted?: string): Manager {
  const isLaunchd = (wanted ?? (process.platform === 'darwin' ? 'launchd' : 'systemd')) === 'launchd'
  return isLaunchd ? launchd(env) : systemd(env)
}

function systemd(env: Environment): Manager {
  const directory = env['XDG_CONFIG_HOME'] || join(userHome(env), '.config')
  const control = (...words: string[]): readonly string[] => ['systemctl', '--user', ...words]
  return {
    name: 'systemd',
    file: join(directory, 'systemd/user/iris.service'),
    text: systemdUnit,
    enable: [control('daemon-reload'), control('enable', '--now', 'iris.service')],
    disable: [control('disable', '--now', 'iris.service')],
    probe: control('show-environment'),
    state: control('is-active', 'iris.service'),
    start: control('start', 'iris.service'),
    stop: control('stop', 'iris.service'),
    restart: control('restart', 'iris.service'),
    moreFrom: control('status', 'iris.service'),
    pid: control('show', 'iris.service', '--property=MainPID', '--value'),
  }
}

function launchd(env: Environment): Manager {
  const domain = `gui/${process.getuid?.() ?? 0}`
  const file = join(userHome(env), 'Library/LaunchAgents', `${label}.plist`)
  return {
    name: 'launchd',
    file,
    text: (facts) => launchAgent(label, facts),
    enable: [['launchctl', 'bootstrap', domain, file]],
    disable: [['launchctl', 'bootout', `${domain}/${label}`]],
    renew: ['launchctl', 'bootout', `${domain}/${label}`],
    probe: ['launchctl', 'print', domain],
    state: ['launchctl', 'print', `${domain}/${label}`],
    start: ['launchctl', 'kickstart', `${domain}/${label}`],
    moreFrom: ['launchctl', 'print', `${domain}/${label}`],
  }
}

/** What the command printed on stdout; undefined when it failed or does not exist. */
export async function answerOf(
  [program = '', ...args]: readonly string[],
  env: Environment,
): Promise<string | undefined> {
  try {
    return (await run(program, args, { env: { ...env }, timeout: answerMs })).stdout.trim()
  } catch {
    return undefined
  }
}

/** Runs each step in order; false where the manager does not run or a step failed. */
export async function allDone(
  { probe }: Manager,
  steps: readonly (readonly string[])[],
  env: Environment,
): Promise<boolean> {
  for (const words of [probe, ...steps]) if ((await answerOf(words, env)) === undefined) return false
  return true
}

/** Stops the service and deletes its file. */
export async function removeService(manager: Manager, env: Environment): Promise<void> {
  await allDone(manager, manager.disable, env)
  rmSync(manager.file)
}

/** Whether a service exists and is for this home: the same user may have a service for another Iris. */
export function isServiceOf({ file }: Pick<Manager, 'file'>, home: string): boolean {
  return existsSync(file) && namesHome(readFileSync(file, 'utf8'), home)
}
