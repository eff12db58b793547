import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RemoteChild, RunOptions } from '../../src/platform/hosts/host.ts'
import type { Command } from '../../src/platform/machine/child.ts'
import { find, type TestHost } from './test-host.ts'

/** Programs that run at the same time have a different tag, because a sweep finds everything with the same tag. */
export const runOptions: RunOptions = {
  run: 'run-1',
  tag: `iris.${randomUUID()}`,
  session: 'session-1',
  graceMs: 600_000,
}

export function command(host: TestHost, executable: string, ...args: string[]): Command {
  return {
    executable: find(executable),
    args,
    cwd: host.home,
    env: { PATH: '/usr/bin:/bin', IRIS_PROCESS: runOptions.tag },
  }
}

/** All it says until now. */
export function outputOf(child: RemoteChild): () => string {
  const chunks: Buffer[] = []
  child.read((chunk) => {
    chunks.push(chunk)
    return undefined
  })
  return () => Buffer.concat(chunks).toString('utf8')
}

export async function allOf(child: RemoteChild): Promise<string> {
  const output = outputOf(child)
  await child.exited
  return output()
}

export const lives = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

export const filesOf = (host: TestHost, run = runOptions.run): string => join(host.home, '.cache/iris/runs', run)
