import { statSync } from 'node:fs'
import type { Log } from '../../base/lib/log.ts'

/** config.yaml may hold secrets, in `env` for instance. Loading it already refuses a file that others can write. */
export function warnOfReaders(path: string, log: Log): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & 0o044) === 0) return
  const shown = (mode & 0o777).toString(8)
  log.warn(`others can read ${path} (mode ${shown}), which may contain secrets: run chmod go-r on it`)
}
