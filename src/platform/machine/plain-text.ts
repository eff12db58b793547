import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'

/** The text of a plain file on this machine, read with the rights of this process. Follows links. */
export async function plainText(path: string, mostBytes: number): Promise<{ text: string } | 'absent' | 'unread'> {
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for its writer.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const facts = await file.stat()
    return facts.isFile() && facts.size <= mostBytes ? { text: await file.readFile('utf8') } : 'unread'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'absent' : 'unread'
  }
}

/** Whether this machine has a file with one of these names, or a link with such a name, wherever it leads. */
export async function hasAny(paths: readonly string[]): Promise<boolean> {
  const found = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)))
  return found.some((facts) => facts !== undefined)
}
