import { statSync } from 'node:fs'

/** Whether a program has written to the file. A shell makes it a moment before, so its existence does not say that. */
export function hasText(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
}
