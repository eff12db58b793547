import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { plainFile } from '../../base/lib/plain-file.ts'
import { InvitedHosts } from '../../platform/config/invitation.ts'
import type { Hosts } from './hosts.ts'
import { Seal } from './seal.ts'

/** The key pair of this host, created when it is first used. Throws if the file cannot be read or written. */
export function sealIn(path: string): Seal {
  try {
    return new Seal(plainFile(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const made = Seal.make()
    writeFileSync(path, made, { mode: 0o600, flag: 'wx' })
    return new Seal(made)
  }
}

/** Trusts the keys in the invitation with which this host joined. Does this once. Throws if the file cannot be read. */
export async function believeInvited(path: string, hosts: Pick<Hosts, 'pin'>): Promise<void> {
  try {
    const invited = InvitedHosts.parse(JSON.parse(plainFile(path)))
    for (const { name, key, signs } of invited) hosts.pin(name, key, signs)
    await rm(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
