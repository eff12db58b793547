import { systemClock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Finding } from '../../base/protocol/finding.ts'
import { isOlder, newestTested, oldestTested } from '../../claude/driver/supported.ts'
import { remoteClaude } from '../../kernel/pool/claude-executable.ts'
import { Hosts } from '../../kernel/pool/hosts.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import { clientStarter } from '../../platform/hosts/client-environment.ts'
import type { RemoteHost } from '../../platform/hosts/remote-host.ts'
import { RemoteMachine } from '../../platform/hosts/remote-machine.ts'
import { LocalSystem } from '../../platform/machine/local-system.ts'
import type { CheckContext } from './check-context.ts'
import { loginThere } from './host-login.ts'
import { withTimeLimit } from './time-limit.ts'

const check = 'hosts'

/** Whether each remote team's machine answers, and has the project and a Claude Code that Iris is tested with. */
export async function hosts(context: CheckContext): Promise<readonly Finding[]> {
  const { config, env } = context
  const teams = [...config.teams.values()].filter(({ remote }) => remote !== undefined)
  if (teams.length === 0) return []
  const system = new LocalSystem(systemClock, { path: env['PATH'] ?? '' })
  const known = new Hosts({ config: () => config, clock: systemClock, startClient: clientStarter(system, env) })
  try {
    return await Promise.all(teams.map((team) => withTimeLimit(hostOf(team, known, context), () => late(team))))
  } finally {
    await withTimeLimit(known.close(), () => undefined)
  }
}

async function hostOf(team: TeamConfig, known: Hosts, context: CheckContext): Promise<Finding> {
  const ofTeam = { ...context.config.settings.env, ...team.env }
  const { host, processes } = known.of(team)
  const machine = new RemoteMachine({
    host,
    processes,
    clock: systemClock,
    isolation: known.isolationOf(() => team),
    linkGrace: () => 0,
    directory: () => team.realPath,
    claudeDirectory: () => ofTeam['CLAUDE_CONFIG_DIR'] ?? '~/.claude',
  })
  try {
    const executable = await remoteClaude(team, machine)
    const version = await machine.programVersion(executable)
    const what = `${team.name} on ${host.name}: Claude Code ${version ?? 'of unknown version'} (${executable})`
    if (!(await machine.project.exists())) {
      const remedy = `Create the directory there, or correct the path of ${team.name} in config.yaml.`
      return {
        check,
        state: 'fail',
        detail: `${team.name} on ${host.name}: there is no directory ${team.path}`,
        remedy,
      }
    }
    if (version === undefined)
      return { check, state: 'fail', detail: what, remedy: `Run it there: ${executable} --version` }
    if (isOlder(version, oldestTested)) {
      const remedy = 'npm install -g @anthropic-ai/claude-code (there)'
      return {
        check,
        state: 'fail',
        detail: `${what} is older than ${oldestTested}, the oldest that Iris is tested with`,
        remedy,
      }
    }
    if (isOlder(newestTested, version)) {
      const remedy = 'Send a message and check that you get an answer.'
      return {
        check,
        state: 'warn',
        detail: `${what} is newer than ${newestTested}, the newest that Iris is tested with`,
        remedy,
      }
    }
    return await conditionsOf(team, context, known, { host, machine, version, what })
  } catch (error) {
    if (!(error instanceof IrisError)) throw error
    return { check, state: 'fail', detail: `${team.name}: ${error.message}`, remedy: error.remedy }
  }
}

interface Reached {
  readonly host: RemoteHost
  readonly machine: RemoteMachine
  readonly version: string
  /** The team, its machine and its Claude Code, for people to read. */
  readonly what: string
}

/** What else a remote Claude Code needs: a correct clock, a login, consistent settings for the session endpoint. */
async function conditionsOf(
  team: TeamConfig,
  context: CheckContext,
  known: Hosts,
  { host, machine, version, what }: Reached,
): Promise<Finding> {
  const { settings } = context.config
  const behind = await secondsAhead(host)
  if (Math.abs(behind) > maxSecondsApart) {
    const detail = `${what}: its clock is ${Math.abs(behind)} s ${behind > 0 ? 'ahead of' : 'behind'} this machine's`
    const remedy =
      'Set the clock there (timedatectl set-ntp true): a login may count as expired, and times in lists are wrong.'
    return { check, state: 'warn', detail, remedy }
  }
  const login = await loginThere(team, context, { host, machine, version })
  if (login.state !== 'ok') return { check, ...login, detail: `${what}: ${login.detail}` }
  const hasEndpoint = team.sessionMcpEnabled ?? settings.sessionMcpEnabled
  if (hasEndpoint !== (team.enableReverseMcp ?? false)) {
    const [set, missing] = hasEndpoint
      ? ['sessionMcpEnabled', 'enableReverseMcp']
      : ['enableReverseMcp', 'sessionMcpEnabled']
    const remedy = `Set ${missing}: true for the team, or ${set}: false; tools and permissions need neither.`
    return { check, state: 'warn', detail: `${what}: ${set} does nothing without ${missing}`, remedy }
  }
  const isolation = `isolation ${known.levelOf(team)}: nothing is hidden there`
  return { check, state: 'ok', detail: `${what}, ${isolation}; ${login.detail}` }
}

const maxSecondsApart = 60

/** How many seconds the remote clock is ahead. The error is at most the duration of one command. */
async function secondsAhead(host: Pick<RemoteHost, 'run'>): Promise<number> {
  const { output } = await host.run('date -u +%s')
  const there = Number(output.toString('latin1').trim())
  return Number.isFinite(there) ? Math.round(there - systemClock.now() / 1000) : 0
}

function late({ name, remote }: TeamConfig): Finding {
  const detail = `${name}: the machine (${remote}) takes too long to answer`
  return { check, state: 'fail', detail, remedy: `See why with: ${remote}` }
}
