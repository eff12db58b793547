import type { Finding } from '../../base/protocol/finding.ts'
import type { Environment } from '../../platform/config/home.ts'
import { guardPrograms, withoutGuards } from '../../platform/machine/guard-programs.ts'
import { missingWithoutProc } from '../../platform/machine/proc.ts'

const check = 'proc'

/** The promises that Iris cannot keep without /proc, one finding each. */
export function proc(root?: string): readonly Finding[] {
  const missing = missingWithoutProc(root)
  if (missing.length === 0) return [{ check, state: 'ok', detail: 'the system lists its processes (/proc)' }]
  const remedy = 'Use Linux with /proc mounted for teams that you do not trust; see docs/guide/security.md.'
  return missing.map((detail) => ({ check, state: 'warn', detail: `there is no /proc: ${detail}`, remedy }))
}

/** A finding for each promise that Iris cannot keep because a program for starting agents is missing. */
export async function guards(env: Environment): Promise<readonly Finding[]> {
  const missing = withoutGuards(await guardPrograms(env['PATH'] ?? ''))
  if (missing.length === 0)
    return [{ check: 'guards', state: 'ok', detail: 'agents are started with a tag that they keep' }]
  const remedy =
    'Install util-linux (prlimit, setpriv), or set "isolation: none" for no team; see docs/guide/rights.md.'
  return missing.map((detail) => ({ check: 'guards', state: 'warn', detail, remedy }))
}
