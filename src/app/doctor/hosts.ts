import { systemClock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Finding } from '../../base/protocol/finding.ts'
import { isOlder, newestTested, oldestTested } from '../../claude/driver/supported.ts'
import { remoteClaude } from '../../core/pool/claude-executable.ts'
import { Hosts } from '../../core/pool/hosts.ts'
import type { SettingsConfig, TeamConfig } from '../../platform/config/config.ts'
import { clientStarter } from '../../platform/hosts/client-environment.ts'
import type { RemoteHost } from '../../platform/hosts/remote-host.ts'
import { RemoteMachine } from '../../platform/hosts/remote-machine.ts'
import { LocalSystem } from '../../platform/machine/local-system.ts'
import type { CheckContext } from './check-context.ts'
import { within } from './within.ts'

const check = 'hosts'

/** Whether each remote team's machine answers, and has the project and a Claude Code that Iris is tested with. */
export async function hosts({ config, env }: CheckContext): Promise<readonly Finding[]> {
  const teams = [...config.teams.values()].filter(({ remote }) => remote !== undefined)
  if (teams.length === 0) return []
  const system = new LocalSystem(systemClock, { path: env['PATH'] ?? '' })
  const known = new Hosts({ config: () => config, clock: systemClock, startClient: clientStarter(system, env) })
  try {
    return await Promise.all(teams.map((team) => within(hostOf(team, known, config.settings), () => late(team))))
  } finally {
    await within(known.close(), () => undefined)
  }
}

async function hostOf(team: TeamConfig, known: Hosts, settings: SettingsConfig): Promise<Finding> {
  const { host, processes } = known.of(team)
  const machine = new RemoteMachine({
    ...{ host, processes, clock: systemClock, isolation: known.isolationOf(() => team) },
    ...{ linkGrace: () => 0, directory: () => team.realPath },
    claudeDirectory: () => '~/.claude',
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
      const remedy = 'See whether a message is answered.'
      return {
        check,
        state: 'warn',
        detail: `${what} is newer than ${newestTested}, the newest that Iris is tested with`,
        remedy,
      }
    }
    return await conditionsOf(team, settings, known, { host, machine, what })
  } catch (error) {
    if (!(error instanceof IrisError)) throw error
    return { check, state: 'fail', detail: `${team.name}: ${error.message}`, remedy: error.remedy }
  }
}

interface Reached {
  readonly host: RemoteHost
  readonly machine: RemoteMachine
  /** The team, its machine and its Claude Code, for people to read. */
  readonly what: string
}

/** Further needs of a remote Claude Code: a correct clock, a login, a consistent endpoint. */
async function conditionsOf(
  team: TeamConfig,
  settings: SettingsConfig,
  known: Hosts,
  { host, machine, what }: Reached,
): Promise<Finding> {
  const behind = await secondsAhead(host)
  if (Math.abs(behind) > mostSecondsApart) {
    const detail = `${what}: its clock is ${Math.abs(behind)} s ${behind > 0 ? 'ahead of' : 'behind'} this machine's`
    const remedy =
      'Set the clock there (timedatectl set-ntp true): a login may count as expired, and times in lists are wrong.'
    return { check, state: 'warn', detail, remedy }
  }
  if (!(await isLoggedIn(host, machine, { ...settings.env, ...team.env }))) {
    const detail = `${what} seems not to be logged in there: there are no credentials, and the environment has no key`
    return { check, state: 'warn', detail, remedy: `${typedWithTerminal(host.shell.typed)} claude (then /login)` }
  }
  const hasEndpoint = team.sessionMcpEnabled ?? settings.sessionMcpEnabled
  if (hasEndpoint !== (team.enableReverseMcp ?? false)) {
    const [set, missing] = hasEndpoint
      ? ['sessionMcpEnabled', 'enableReverseMcp']
      : ['enableReverseMcp', 'sessionMcpEnabled']
    const remedy = `Set ${missing}: true for the team, or ${set}: false; tools and permissions need neither.`
    return { check, state: 'warn', detail: `${what}: ${set} does nothing without ${missing}`, remedy }
  }
  return { check, state: 'ok', detail: `${what}, isolation ${known.levelOf(team)}: nothing is hidden there` }
}

const mostSecondsApart = 60

/** How far the clock there is ahead, in seconds. The error is at most the duration of one command. */
async function secondsAhead(host: Pick<RemoteHost, 'run'>): Promise<number> {
  const { output } = await host.run('date -u +%s')
  const there = Number(output.toString('latin1').trim())
  return Number.isFinite(there) ? Math.round(there - systemClock.now() / 1000) : 0
}

const keyVariables = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN']

/** Whether files or environment there show a login. On macOS it is in the keychain, so it is assumed. */
async function isLoggedIn(
  host: Pick<RemoteHost, 'run'>,
  machine: RemoteMachine,
  env: Readonly<Record<string, string>>,
) {
  const names = Object.entries({ ...(await machine.environment()), ...env }).filter(([, value]) => value !== '')
  if (names.some(([name]) => keyVariables.includes(name) || name.startsWith('CLAUDE_CODE_USE_'))) return true
  const { status } = await host.run(`
    c=\${CLAUDE_CONFIG_DIR:-$HOME/.claude}
    [ -s "$c/.credentials.json" ] || [ "$(uname -s)" = Darwin ] ||
      grep -Eqs '"(apiKeyHelper|ANTHROPIC_API_KEY|ANTHROPIC_AUTH_TOKEN)"' "$c/settings.json" ||
      grep -qs '"primaryApiKey"' "$HOME/.claude.json"`)
  return status === 0
}

/** The command with a terminal, which the login needs. */
function typedWithTerminal(typed: string): string {
  return typed.replace(/^ssh /, 'ssh -t ')
}

function late({ name, remote }: TeamConfig): Finding {
  const detail = `${name}: the machine (${remote}) takes too long to answer`
  return { check, state: 'fail', detail, remedy: `See why with: ${remote}` }
}
