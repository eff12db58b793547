import { realpathSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { isRecord } from '../../../base/lib/is-record.ts'
import { type Environment, irisHome } from '../../../platform/config/home.ts'
import { onPath } from './on-path.ts'
import { ownCommand } from './own-command.ts'

/** The name under which Claude Code knows Iris. */
export const serverName = 'iris'

/** What `mcpServers` of Claude Code says of Iris. */
export const Entry = z.object({
  type: z.literal('stdio'),
  command: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
})
export type Entry = z.infer<typeof Entry>

/**
 * What may stand there for this Iris: by its path, which a user's own configuration says, and where the `iris` in PATH is
 * this one by that name, as a project says to all who work in it. Throws `invalid_input` where nothing lasts.
 */
export function ownEntries(env: Environment): { readonly user: Entry; readonly project: Entry } {
  const [command, ...args] = ownCommand(env)
  const home = irisHome(env)
  // Claude Code may be started where nobody exports it.
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

/** Whether a registration is this one; what may be left out may be missing. */
export function isEntry(found: unknown, entry: Entry): boolean {
  return isRecord(found) && isDeepStrictEqual({ type: 'stdio', args: [], env: {}, ...found }, entry)
}

/** A registration in one line, without what may be a secret. */
export function entryText(found: unknown): string {
  if (!isRecord(found)) return 'of an unknown kind'
  const { command, args, url, env } = found
  if (typeof command !== 'string') return typeof url === 'string' ? url : 'of an unknown kind'
  const words = [command, ...(Array.isArray(args) ? args.map(String) : [])].join(' ')
  const home = isRecord(env) ? env['IRIS_HOME'] : undefined
  return typeof home === 'string' ? `${words} (IRIS_HOME ${home})` : words
}
