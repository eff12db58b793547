import { renameSync, writeFileSync } from 'node:fs'

/**
 * Writes a file completely or not at all, with access for its user only. Throws the system's error, which names the
 * file.
 */
export function replaceFile(path: string, text: string): void {
  try {
    writeFileSync(`${path}.new`, text, { mode: 0o600 })
    renameSync(`${path}.new`, path)
  } catch (error) {
    throw withPath(error, path)
  }
}

/** Adds the path to a system error that has none: errors from writing, such as a full disk, name no file. */
export function withPath(error: unknown, path: string): unknown {
  return error instanceof Error && !('path' in error) ? Object.assign(error, { path }) : error
}
