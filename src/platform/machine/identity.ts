import { constants } from 'node:fs'
import { open, readlink } from 'node:fs/promises'
import { MachineError } from './machine-error.ts'

/** Opens a file for being named only: nothing happens to a pipe or a device, and no right to read is needed. Linux. */
const asName = 0o10000000

/**
 * What tells the file at this absolute path from every other one, as `stat -c %d:%i` prints it. Linux only. Throws MachineError where the path is a link or
 * leads through one, and what the system says.
 */
export async function identityAt(path: string): Promise<string> {
  await using file = await open(path, asName | constants.O_NOFOLLOW)
  const facts = await file.stat({ bigint: true })
  // The name that the system itself has for what was opened.
  if (facts.isSymbolicLink() || (await readlink(`/proc/self/fd/${file.fd}`)) !== path) {
    throw new MachineError(`${path} is a link, or leads through one`)
  }
  return `${facts.dev}:${facts.ino}`
}
