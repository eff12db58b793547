import { spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { ownStdio } from './inherited-descriptors.ts'
import type { VersionOptions } from './machine.ts'
import { tagVariable } from './process-tag.ts'

const timeoutMs = 10_000
const maxBytes = 4096

const versions = new Map<string, Promise<string | undefined>>()

/** See `System.programVersion`. Asks each program only once, and again after its file has changed. */
export async function programVersion(executable: string, options: VersionOptions = {}): Promise<string | undefined> {
  const facts = await stat(executable).catch(() => undefined)
  const key = `${executable}\0${facts?.mtimeMs}`
  const known = versions.get(key) ?? ask(executable, options)
  versions.set(key, known)
  try {
    return await known
  } catch (error) {
    // The program was not asked, because the isolation of this team failed.
    versions.delete(key)
    throw error
  }
}

async function ask(executable: string, { isolation, tag }: VersionOptions): Promise<string | undefined> {
  const how = await isolation?.()
  const [file, ...args] = [...(how?.by ?? []), executable, '--version']
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: '/nonexistent',
    DISABLE_AUTOUPDATER: '1',
    ...(tag !== undefined && { [tagVariable]: tag }),
  }
  const options = { env, stdio: ownStdio('ignore') } as const
  return new Promise((resolve) => {
    const child = spawn(file, args, options)
    const end = (version?: string): void => {
      resolve(version)
      child.kill('SIGKILL')
      // Programs that this one left running may hold the pipes open. (A program that could not be started has no
      // pipes.)
      child.stdout?.destroy()
      child.stderr?.destroy()
    }
    let said = ''
    child.on('error', () => end())
    child.on('close', () => end(versionIn(said)))
    child.stderr?.resume()
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString('latin1')
      if (said.length > maxBytes || said.includes('\n')) end(versionIn(said))
    })
    AbortSignal.timeout(timeoutMs).addEventListener('abort', () => end())
  })
}

function versionIn(said: string): string | undefined {
  return /^\d+\.\d+\.\d+/.exec(said)?.[0]
}
