import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

interface Leftovers {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** How long the directory itself must have been unchanged. */
  readonly ageMs: number
  /** Whether the directory is still in use. */
  readonly isUsed?: (path: string) => boolean
}

/**
 * Removes this user's directories in `parent` with this prefix that have not been changed for this long, because their
 * creators were killed.
 */
export function removeLeftovers(parent: string, prefix: string, { now, ageMs, isUsed }: Leftovers): void {
  for (const name of namesIn(parent)) {
    if (!name.startsWith(prefix)) continue
    const path = join(parent, name)
    try {
      const { uid, mtimeMs } = lstatSync(path)
      if (uid === process.getuid?.() && now - mtimeMs > ageMs && isUsed?.(path) !== true)
        rmSync(path, { recursive: true, force: true })
    } catch {
      // Another daemon may have removed the directory; if it can't be removed, it may stay.
    }
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
