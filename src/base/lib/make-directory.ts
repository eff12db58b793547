import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a directory and its missing parents; an existing one is unchanged. Throws the system's errors. Node's `mkdir`
 * with `recursive` never returns for an existing directory in which none can be created, such as /proc.
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
      // Another process may have created it in the meantime.
      if (statSync(each, { throwIfNoEntry: false })?.isDirectory() !== true) throw error
    }
  }
}
