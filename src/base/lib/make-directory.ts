import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a directory, and those above it that are missing; one that is there stays as it is. Throws what the system refuses. `mkdir` of
 * Node with `recursive` never returns where a directory is there and none can be made in it, as in /proc.
 */
export function makeDirectory(path: string, mode = 0o700): void {
  const missing: string[] = []
  for (let at = path; statSync(at, { throwIfNoEntry: false })?.isDirectory() !== true; at = dirname(at)) {
    missing.push(at)
    if (dirname(at) === at) break
  }
  for (const each of missing.toReversed()) {
    try {
      mkdirSync(each, { mode })
    } catch (error) {
      // Another process may have made it meanwhile.
      if (statSync(each, { throwIfNoEntry: false })?.isDirectory() !== true) throw error
    }
  }
}
