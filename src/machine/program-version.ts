import { execFile } from 'node:child_process'
import type { Isolation } from './child.ts'
import { markerVariable } from './process-tag.ts'

const timeoutMs = 10_000
const mostBytes = 4096

/**
 * What a program says to `--version` ("2.1.330"); undefined when it does not say. Agents may be able to replace the
 * program: on behalf of a team it runs in the isolation of that team. `tag`: for the sweep, should it leave something running.
 */
export function programVersion(
  executable: string,
  { isolation, tag }: { readonly isolation?: Isolation | undefined; readonly tag?: string } = {},
): Promise<string | undefined> {
  const [file, ...args] = [...(isolation?.by ?? []), executable, '--version']
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: '/nonexistent',
    DISABLE_AUTOUPDATER: '1',
    ...(tag !== undefined && { [markerVariable]: tag }),
  }
  const options = { env, timeout: timeoutMs, maxBuffer: mostBytes, killSignal: 'SIGKILL' } as const
  return new Promise((resolve) => {
    execFile(file, args, options, (_error, stdout) => resolve(/^\d+\.\d+\.\d+/.exec(stdout)?.[0]))
  })
}
