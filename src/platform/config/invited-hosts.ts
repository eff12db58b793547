import { appendFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeDirectory } from '../../base/lib/make-directory.ts'
import { plainFile } from '../../base/lib/plain-file.ts'
import { homePaths } from './home.ts'

/** Remembers hosts that a person has invited, or whose invitation a person has accepted. Needs no daemon. */
export async function noteInvited(home: string, hosts: readonly string[]): Promise<void> {
  const { invitedHosts: file } = homePaths(home)
  makeDirectory(dirname(file))
  await appendFile(file, hosts.map((host) => `${host}\n`).join(''), { mode: 0o600 })
}

/** Rejects if the file exists but cannot be read. */
export async function invitedHosts(home: string): Promise<ReadonlySet<string>> {
  try {
    return new Set(
      plainFile(homePaths(home).invitedHosts)
        .split('\n')
        .filter((line) => line !== ''),
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Set()
    throw error
  }
}
