import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Removes directories of this user below `parent` whose names begin so and that nobody has changed for so long: their makers were killed. */
export function removeLeftovers(parent: string, prefix: string, { now, ageMs }: { now: number; ageMs: number }): void {
  for (const name of namesIn(parent)) {
    if (!name.startsWith(prefix)) continue
    const path = join(parent, name)
    try {
      const { uid, mtimeMs } = lstatSync(path)
      if (uid === process.getuid?.() && now - mtimeMs > ageMs) rmSync(path, { recursive: true, force: true })
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
