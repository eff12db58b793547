import { constants } from 'node:fs'
import { open, readlink } from 'node:fs/promises'
import { MachineError } from './machine-error.ts'

/**
 * O_PATH, on Linux: opens a file only as a reference, without a right to read, and without effect on a pipe or device.
 */
const asName = 0o10000000

/**
 * The device and inode of the file at this absolute path, as `stat -c %d:%i` prints them. Linux only. Rejects with a
 * MachineError if the path is a link or leads through one, and with the system's errors.
 */
export async function identityAt(path: string): Promise<string> {
  await using file = await open(path, asName | constants.O_NOFOLLOW)
  const facts = await file.stat({ bigint: true })
  // The kernel's own path of the opened file.
  if (facts.isSymbolicLink() || (await readlink(`/proc/self/fd/${file.fd}`)) !== path) {
    throw new MachineError(`${path} is a link, or leads through one`)
  }
  return `${facts.dev}:${facts.ino}`
}
