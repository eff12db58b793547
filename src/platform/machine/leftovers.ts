import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

interface Leftovers {
  /** Since the epoch, milliseconds. */
  readonly now: number
  /** How long nobody has changed the directory itself. */
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
      // Another daemon may have removed it; what can't be removed may stay.
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
