import { irisHome } from '../../config/home.ts'
import type { Finding } from '../../protocol/finding.ts'
import type { Given } from '../command/spec.ts'
import { findDaemon } from '../find-daemon.ts'
import { say, sayJson } from '../say.ts'

/** Says what works here and what does not, with what to do about it; resolves with the exit code: 1 when something fails. */
export async function doctor({ env, daemon: { diagnose }, json }: Given): Promise<number> {
  const home = irisHome(env)
  const daemon = await findDaemon(home)
  const findings = await diagnose({ home, env, servedPort: daemon?.port })
  const isWell = findings.every(({ state }) => state !== 'fail')
  if (json) sayJson({ ok: isWell, home, findings })
  else for (const finding of findings) for (const line of linesOf(finding)) say(line)
  return isWell ? 0 : 1
}

function linesOf({ check, state, detail, remedy }: Finding): string[] {
  const [first, ...more] = [...detail.split('\n'), ...(remedy === undefined ? [] : [remedy])]
  return [`${state.padEnd(4)}  ${check.padEnd(13)}  ${first}`, ...more.map((line) => `${' '.repeat(21)}${line}`)]
}
