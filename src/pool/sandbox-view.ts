import { realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { configDirectory } from '../claude/environment.ts'
import type { TeamConfig } from '../config/config.ts'
import { isInside } from '../config/inside.ts'
import type { SandboxView } from '../transport/sandbox.ts'

/** What is about to be started, as far as it matters what it must see. */
export interface Isolated {
  readonly executable: string
  readonly env: Readonly<Record<string, string>>
}

/** Of the directory of Claude Code: what the user's own claude takes orders from. */
const orders = ['settings.json', 'settings.local.json', 'CLAUDE.md', 'agents', 'commands', 'skills', 'hooks', 'plugins']
/** Files that Claude Code is told of by its environment. */
const fileVariables = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'GOOGLE_APPLICATION_CREDENTIALS']

/** What of the machine there is for a team in its sandbox; nothing of `secret`, not even inside of what there is. */
export function sandboxView(
  { realPath }: TeamConfig,
  { executable, env }: Isolated,
  secret: readonly string[],
): SandboxView {
  const home = env['HOME'] ?? '/'
  const config = configDirectory(env)
  const writable = [realPath, config, ...(env['CLAUDE_CONFIG_DIR'] === undefined ? [join(home, '.claude.json')] : [])]
  const readable = [
    ...orders.map((name) => join(config, name)),
    ...fileVariables.flatMap((name) => env[name] ?? []),
    ...programPlaces(executable),
  ]
  return {
    directory: realPath,
    home,
    writable,
    readable,
    // Its own process ids mean nothing to who reads that list outside, and the other way round.
    empty: [
      join(config, 'sessions'),
      ...secret.filter((place) => [...writable, ...readable].some((seen) => isInside(seen, place))),
    ],
  }
}

/** Where a program and what it brings along lie; and Node, for those that are scripts. */
function programPlaces(executable: string): string[] {
  const path = realpathSync(executable)
  const modules = path.indexOf(`${sep}node_modules${sep}`)
  return [modules < 0 ? path : path.slice(0, modules + sep.length + 'node_modules'.length), dirname(process.execPath)]
}
