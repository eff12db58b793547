import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { scratchDirectory } from './scratch.ts'

/** Files by their paths; what is not text is written as JSON. */
export type Files = Readonly<Record<string, unknown>>

/** A directory with these files, gone at the end of the scope (`using`). */
export function projectTree(files: Files): ReturnType<typeof scratchDirectory> {
  const directory = scratchDirectory()
  writeFiles(directory.path, files)
  return directory
}

export function writeFiles(directory: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    const isText = typeof content === 'string' || content instanceof Uint8Array
    writeFileSync(join(directory, path), isText ? content : JSON.stringify(content))
  }
}
