import { userInfo } from 'node:os'
import { join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The directories where a user's CLI creates Unix sockets: inboxes of sessions, the supervisor of background sessions,
 * the bridge to a browser. A process that reaches one can write into a session. `environments`: the known environments
 * in which a CLI is started.
 */
export function socketDirectories(environments: readonly Environment[]): string[] {
  const uid = process.getuid!()
  const bases = environments.flatMap((env) => [env['XDG_RUNTIME_DIR'], env['CLAUDE_CODE_TMPDIR'], env['TMPDIR']])
  const inboxes = [...bases, `/run/user/${uid}`, '/tmp']
    .filter((base) => base?.startsWith('/'))
    .map((base) => join(base!, 'cc-socks'))
  const bridges = userNames(environments).map((name) => `claude-mcp-browser-bridge-${name}`)
  const shared = [`cc-socks-${uid}`, `cc-daemon-${uid}`, ...bridges]
  return [...new Set([...inboxes, ...shared.map((name) => join('/tmp', name))])]
}

/** The user's names as the CLI derives them. In a container, a user id often has no name. */
function userNames(environments: readonly Environment[]): string[] {
  try {
    return [userInfo().username || 'default']
  } catch {
    const named = environments.flatMap(({ USER, USERNAME }) => [USER, USERNAME])
    // A name with a slash would lead elsewhere.
    return [...named.filter((name) => name !== undefined && /^[^/]+$/.test(name)), 'default'] as string[]
  }
}
