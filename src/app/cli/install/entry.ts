import { realpathSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { isRecord } from '../../../base/lib/is-record.ts'
import { type Environment, irisHome } from '../../../platform/config/home.ts'
import { onPath } from './on-path.ts'
import { ownCommand } from './own-command.ts'

/** The name under which Claude Code knows Iris. */
export const serverName = 'iris'

/** An entry in Claude Code's `mcpServers` that registers Iris. */
export const Entry = z.object({
  type: z.literal('stdio'),
  command: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
})
export type Entry = z.infer<typeof Entry>

/**
 * The entries that register this Iris. The user's entry names this Iris by its path. A project's entry, which everybody
 * in the project shares, says `iris` if the `iris` in PATH is this one. Throws `invalid_input` for an Iris in a package
 * manager's cache.
 */
export function ownEntries(env: Environment): { readonly user: Entry; readonly project: Entry } {
  const [command, ...args] = ownCommand(env)
  const home = irisHome(env)
  // Claude Code may run without IRIS_HOME in its environment.
  const isUsual = home === irisHome({ ...env, IRIS_HOME: undefined })
  const entry = (words: readonly string[]): Entry => {
    const [program = '', ...more] = words
    return { type: 'stdio', command: program, args: [...more, 'mcp'], env: isUsual ? {} : { IRIS_HOME: home } }
  }
  const user = entry([command, ...args])
  const named = onPath('iris', env)[0]
  const isNamed = args.length === 0 && named !== undefined && realpathSync(named) === realpathSync(command)
  return { user, project: isNamed ? entry(['iris']) : user }
}

/** Whether a registration is this entry; fields with default values may be missing. */
export function isEntry(found: unknown, entry: Entry): boolean {
  return isRecord(found) && isDeepStrictEqual({ type: 'stdio', args: [], env: {}, ...found }, entry)
}

/** A registration in one line, without its variables, which may be secret. */
export function entryText(found: unknown): string {
  if (!isRecord(found)) return 'of an unknown kind'
  const { command, args, url, env } = found
  if (typeof command !== 'string') return typeof url === 'string' ? url : 'of an unknown kind'
  const words = [command, ...(Array.isArray(args) ? args.map(String) : [])].join(' ')
  const home = isRecord(env) ? env['IRIS_HOME'] : undefined
  return typeof home === 'string' ? `${words} (IRIS_HOME ${home})` : words
}
