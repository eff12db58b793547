import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Environment, userHome } from '../../../platform/config/home.ts'
import { launchAgent, namesHome, type ServiceFacts, systemdUnit } from './unit.ts'

const run = promisify(execFile)
/** Longer than a service gets to end and to start again. */
const answerMs = 90_000
const label = 'iris.daemon'

/** What starts services of a user on this machine. */
export interface Manager {
  readonly name: 'systemd' | 'launchd'
  /** Of the service, absolute. */
  readonly file: string
  readonly text: (facts: ServiceFacts) => string
  /** Words for each step, tried in order. */
  readonly enable: readonly (readonly string[])[]
  readonly disable: readonly (readonly string[])[]
  /** Where it is known already, and its file has changed: what makes it forget the old one. */
  readonly renew?: readonly string[]
  /** Succeeds where the manager runs. */
  readonly probe: readonly string[]
  readonly state: readonly string[]
  readonly start: readonly string[]
  /** Undefined where it ends as every other daemon does: one that ends well is not started again. */
  readonly stop?: readonly string[]
  readonly restart?: readonly string[]
  /** Says the pid of its process. */
  readonly pid?: readonly string[]
  /** Tells a person how it stands, and why. */
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

/** What the command said; undefined when it failed or is not there. */
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

/** Each step in order; false where the manager does not run, or one of them failed. */
export async function allDone(
  { probe }: Manager,
  steps: readonly (readonly string[])[],
  env: Environment,
): Promise<boolean> {
  for (const words of [probe, ...steps]) if ((await answerOf(words, env)) === undefined) return false
  return true
}

/** Ends the service and takes its file away. */
export async function removeService(manager: Manager, env: Environment): Promise<void> {
  await allDone(manager, manager.disable, env)
  rmSync(manager.file)
}

/** Whether there is a service, and for this home: another Iris of the same user may have made it. */
export function isServiceOf({ file }: Pick<Manager, 'file'>, home: string): boolean {
  return existsSync(file) && namesHome(readFileSync(file, 'utf8'), home)
}
