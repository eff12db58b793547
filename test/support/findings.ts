import type { Finding } from '../../src/base/protocol/finding.ts'
import type { Installation } from './program.ts'

/** What `iris doctor --json` says. */
export async function findings(iris: Installation, options: readonly string[] = [], env: object = {}) {
  const { code, stdout } = await iris.run(['doctor', ...options, '--json'], { env })
  const told = JSON.parse(stdout) as { ok: boolean; findings: Finding[]; done?: string[] }
  const of = (check: string, detail = /^/) =>
    told.findings.find((finding) => finding.check === check && detail.test(finding.detail))
  return { code, ok: told.ok, of, checks: told.findings.map(({ check }) => check), done: told.done }
}
