import { missingWithoutProc } from '../machine/proc.ts'
import type { Finding } from '../protocol/finding.ts'

const check = 'proc'

/** What of Iris's promises this system cannot keep, one finding each. */
export function proc(root?: string): readonly Finding[] {
  const missing = missingWithoutProc(root)
  if (missing.length === 0) return [{ check, state: 'ok', detail: 'the system tells of its processes (/proc)' }]
  const remedy = 'Use Linux with /proc mounted for teams that you do not trust; see docs/guide/security.md.'
  return missing.map((detail) => ({ check, state: 'warn', detail: `there is no /proc: ${detail}`, remedy }))
}
