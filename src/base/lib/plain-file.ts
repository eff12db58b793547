import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

/** Far more than Iris ever writes into one of its home's small files. */
const maxBytes = 16 * 1024 * 1024

/**
 * The text of a small file; follows links. Throws the system's error, as `readFileSync` does, and `ENOTSUP` for a pipe,
 * a device or a file of more than 16 MiB, which could keep the caller reading forever.
 */
export function plainFile(path: string): string {
  // Without O_NONBLOCK, opening a named pipe would wait for its writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const facts = fstatSync(file)
    if (facts.isFile() && facts.size <= maxBytes) return readFileSync(file, 'utf8')
    // The system's own error for reading a directory does not name its path.
    if (facts.isDirectory()) throw Object.assign(new Error(`EISDIR: ${path} is a directory`), { code: 'EISDIR', path })
    throw notPlain(path)
  } finally {
    closeSync(file)
  }
}

/** An error in the form of the system's errors. */
export function notPlain(path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`ENOTSUP: ${path} is not a small plain file`), { code: 'ENOTSUP', path })
}
