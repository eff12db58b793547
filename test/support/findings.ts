import type { Finding } from '../../src/base/protocol/finding.ts'
import type { Installation } from './program.ts'
import { runCommand } from './run-command.ts'

/** The output of `iris doctor --json`. */
export async function findings(
  { world }: Installation,
  options: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  const { code, stdout } = await runCommand(world, ['doctor', ...options, '--json'], { env })
  const told = JSON.parse(stdout) as { ok: boolean; findings: Finding[]; done?: string[] }
  const of = (check: string, detail = /^/) =>
    told.findings.find((finding) => finding.check === check && detail.test(finding.detail))
  return { code, ok: told.ok, of, checks: told.findings.map(({ check }) => check), done: told.done }
}
