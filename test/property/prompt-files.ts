import fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const names = [
  'readFile',
  'readdir',
  'stat',
  'lstat',
  'realpath',
  'access',
  'mkdir',
  'rename',
  'link',
  'copyFile',
  'rm',
  'utimes',
  'readlink',
  'unlink',
  'rmdir',
] as const
const originals = { ...promises }

/** Wraps a call that returns or throws at once into a promise. */
function prompt<Args extends readonly unknown[]>(
  call: (...args: Args) => unknown,
): (...args: Args) => Promise<unknown> {
  return async (...args) => call(...args)
}

/** As much of a FileHandle as Iris uses. */
function handle(fd: number) {
  return {
    fd,
    stat: prompt((options?: fs.StatOptions) => fs.fstatSync(fd, options)),
    utimes: prompt((accessed: number, modified: number) => fs.futimesSync(fd, accessed, modified)),
    sync: prompt(() => fs.fsyncSync(fd)),
    chmod: prompt((mode: number) => fs.fchmodSync(fd, mode)),
    truncate: prompt((length: number) => fs.ftruncateSync(fd, length)),
    appendFile: prompt((data: Buffer) => fs.appendFileSync(fd, data)),
    close: prompt(() => fs.closeSync(fd)),
    [Symbol.asyncDispose]: prompt(() => fs.closeSync(fd)),
    read: prompt((buffer: Buffer, offset: number, length: number, position: number) => ({
      bytesRead: fs.readSync(fd, buffer, offset, length, position),
      buffer,
    })),
    write: prompt((buffer: Buffer, offset: number, length: number, position: number) => ({
      bytesWritten: fs.writeSync(fd, buffer, offset, length, position),
      buffer,
    })),
  }
}

/**
 * From now on the promises of `node:fs` are kept at once instead of by whichever thread is first, so that a schedule is
 * the same each time. The files are real. Returns the function that takes it back.
 */
export function promptFiles(): () => void {
  for (const name of names) {
    const call = fs[`${name}Sync`] as (...args: unknown[]) => unknown
    Object.assign(promises, { [name]: prompt(call) })
  }
  Object.assign(promises, {
    open: prompt((path: string, flags?: number, mode?: number) => handle(fs.openSync(path, flags ?? 'r', mode))),
    opendir: prompt((path: string) => fs.readdirSync(path, { withFileTypes: true })),
  })
  syncBuiltinESMExports()
  return () => {
    Object.assign(promises, originals)
    syncBuiltinESMExports()
  }
}
