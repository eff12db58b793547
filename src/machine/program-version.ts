import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import type { VersionOptions } from './machine.ts'
import { markerVariable } from './process-tag.ts'

const timeoutMs = 10_000
const mostBytes = 4096

const versions = new Map<string, Promise<string | undefined>>()

/** As `System.programVersion` says; each file is asked once. */
export async function programVersion(executable: string, options: VersionOptions = {}): Promise<string | undefined> {
  const facts = await stat(executable).catch(() => undefined)
  const key = `${executable}\0${facts?.mtimeMs}`
  const known = versions.get(key) ?? ask(executable, options)
  versions.set(key, known)
  return known
}

async function ask(executable: string, { isolation, tag }: VersionOptions): Promise<string | undefined> {
  const how = await isolation?.()
  const [file, ...args] = [...(how?.by ?? []), executable, '--version']
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
