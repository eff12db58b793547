import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { z } from 'zod'
import { InnerDirectory } from '../../base/lib/inner-directory.ts'
import { isInside } from '../../platform/config/is-inside.ts'

/** The location of a file: `names` lead from the trusted `root` to its directory, to which the agent may write. */
const Place = z.object({ root: z.string(), names: z.array(z.string()), file: z.string() })
type Place = z.output<typeof Place>

/**
 * The session MCP configurations on disk. Before a file is written, its place is stored in the directory `records` in
 * Iris's home. The next daemon therefore finds the files of a daemon that was killed, even if config.yaml has changed.
 */
export class SessionMcpFiles {
  readonly #records: string

  constructor(records: string) {
    this.#records = records
  }

  /**
   * Returns the path and a function that removes the file. Throws if other users can write to the directory, and throws
   * system errors.
   */
  write(startId: string, at: { project: string; directory: string; file: string }, text: string) {
    const place = placeOf(at)
    mkdirSync(this.#records, { recursive: true, mode: 0o700 })
    writeFileSync(join(this.#records, startId), JSON.stringify(place), { mode: 0o600 })
    try {
      writeInto(place, text)
    } catch (error) {
      this.#remove(startId, place)
      throw error
    }
    return { path: join(place.root, ...place.names, place.file), remove: () => this.#remove(startId, place) }
  }

  /** Removes the files that a killed daemon left. Returns how many were recorded. */
  sweep(): number {
    const left = namesIn(this.#records)
    for (const startId of left) {
      const place = Place.safeParse(readJson(join(this.#records, startId)))
      this.#remove(startId, place.data)
    }
    return left.length
  }

  #remove(startId: string, place: Place | undefined): void {
    try {
      if (place !== undefined) {
        using directory = InnerDirectory.open(place.root, place.names, { make: false })
        directory.remove(place.file)
      }
    } catch {
      // The directory is gone or has become a link, so it contains none of Iris's files.
    }
    rmSync(join(this.#records, startId), { force: true })
  }
}

function writeInto({ root, names, file }: Place, text: string): void {
  using directory = InnerDirectory.open(root, names, { make: true })
  const { uid, mode } = directory.facts
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0) throw new Error('others may write to it')
  // The project may be under version control. This keeps the file out of it.
  if (directory.isNew) directory.write('.gitignore', '*\n')
  directory.write(file, text)
}

/** If the directory is outside the project, the owner has chosen it, so links in its path are intended. */
function placeOf({ project, directory, file }: { project: string; directory: string; file: string }): Place {
  const wanted = resolve(project, directory)
  if (isInside(project, wanted)) {
    return { root: project, names: relative(project, wanted).split(sep).filter(Boolean), file }
  }
  mkdirSync(wanted, { recursive: true, mode: 0o700 })
  return { root: realpathSync(wanted), names: [], file }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
