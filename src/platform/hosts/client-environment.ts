import type { Command } from '../machine/child.ts'
import type { System } from '../machine/machine.ts'
import type { CommandShellParts } from './command-shell.ts'
import type { HostChannel } from './host.ts'

type Environment = Readonly<Record<string, string | undefined>>

const names = new Set(
  (
    'HOME PATH USER LOGNAME SHELL LANG TZ TMPDIR SSH_AUTH_SOCK XDG_RUNTIME_DIR XDG_CONFIG_HOME KRB5CCNAME KUBECONFIG ' +
    'HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy'
  ).split(' '),
)
const prefixes = ['LC_', 'DOCKER_', 'CONTAINER_']

/** The variables that ssh, docker and similar clients need. API keys are not among them. */
function clientEnvironment(environment: Environment): Record<string, string> {
  const known: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    const isKnown = names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
    if (value !== undefined && isKnown) known[name] = value
  }
  return known
}

interface Clients extends Pick<System, 'findExecutable'> {
  start(command: Command): Promise<HostChannel>
}

/** Starts the clients that connect to other machines: the user's own programs, with only these variables. */
export function clientStarter(system: Clients, environment: Environment): CommandShellParts['start'] {
  const env = clientEnvironment(environment)
  return async (program, args) => {
    // The guarding programs (setpriv, prlimit) would start even if the client is missing.
    const executable = await system.findExecutable(program, env['PATH'] ?? '')
    if (executable === undefined) throw Object.assign(new Error(`there is no ${program}`), { code: 'ENOENT' })
    return system.start({ executable, args, cwd: env['HOME'] ?? '/', env })
  }
}
