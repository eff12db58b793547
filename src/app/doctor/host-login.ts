import { settingsOfTeam } from '../../kernel/pool/settings-files.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import type { RemoteHost } from '../../platform/hosts/remote-host.ts'
import type { RemoteMachine } from '../../platform/hosts/remote-machine.ts'
import { shellQuoted } from '../../platform/hosts/shell-words.ts'
import type { CheckContext } from './check-context.ts'
import { type Login, loginOfTeam, managedLogin } from './team-login.ts'

interface There {
  readonly host: RemoteHost
  readonly machine: RemoteMachine
  readonly version: string
}

/**
 * Which login a team on another machine has. The finding's detail is the end of a sentence that begins with the
 * machine's name.
 */
export async function loginThere(
  team: TeamConfig,
  { config, env }: CheckContext,
  { host, machine, version }: There,
): Promise<Login> {
  const found = await settingsOfTeam(machine, team)
  const directory = { ...config.settings.env, ...team.env }['CLAUDE_CONFIG_DIR']
  const login = await loginOfTeam({
    team,
    config,
    found,
    iris: env,
    inherited: await machine.environment(),
    inFiles: () => inFiles(host, directory),
    version: async () => version,
  })
  const managed = managedLogin(found.files)
  if (login.state !== 'ok' || managed?.state !== 'warn') return login
  return { ...managed, detail: `${login.detail}; ${managed.detail}` }
}

/** Whether files on that machine show a login. On macOS the login is in the keychain, so it is assumed to exist. */
async function inFiles(host: RemoteHost, directory: string | undefined): Promise<Login> {
  const { status } = await host.run(`
    c=${directory === undefined ? '${CLAUDE_CONFIG_DIR:-$HOME/.claude}' : shellQuoted(directory)}
    [ -s "$c/.credentials.json" ] || [ "$(uname -s)" = Darwin ] || grep -qs '"primaryApiKey"' "$HOME/.claude.json"`)
  if (status === 0) return { state: 'ok', detail: 'logged in there' }
  const detail = 'Claude Code seems not to be logged in there, without credentials and without a key in the environment'
  return { state: 'warn', detail, remedy: `${typedWithTerminal(host.shell.typed)} claude (then /login)` }
}

/** Gives the command a terminal, because logging in needs one. */
function typedWithTerminal(typed: string): string {
  return typed.replace(/^ssh /, 'ssh -t ')
}
