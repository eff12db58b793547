type Environment = Readonly<Record<string, string | undefined>>

const names = new Set(
  (
    'HOME PATH USER LOGNAME SHELL LANG TZ TMPDIR SSH_AUTH_SOCK XDG_RUNTIME_DIR XDG_CONFIG_HOME KRB5CCNAME KUBECONFIG ' +
    'HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy'
  ).split(' '),
)
const prefixes = ['LC_', 'DOCKER_', 'CONTAINER_']

/** What ssh, docker and their like need of the user's environment; the keys of models are not among it. */
export function clientEnvironment(environment: Environment): Record<string, string> {
  const known: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    const isKnown = names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
    if (value !== undefined && isKnown) known[name] = value
  }
  return known
}
