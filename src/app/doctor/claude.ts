import type { Finding } from '../../base/protocol/finding.ts'
import { probedOf, programFile, readProbes } from '../../claude/driver/probe-record.ts'
import { isOlder, newestTested, oldestTested } from '../../claude/driver/supported.ts'
import { claudePrograms } from '../../kernel/pool/claude-programs.ts'
import { programVersion } from '../../platform/machine/program-version.ts'
import type { CheckContext } from './check-context.ts'

const check = 'claude'
const install = 'npm install -g @anthropic-ai/claude-code'

/** A finding for each `claude` that a team uses: whether it exists, its version, its last probe's result. */
export async function claude(context: CheckContext): Promise<readonly Finding[]> {
  const found = new Map<string, Finding>()
  for (const { executable } of await claudePrograms(context.config, context.env)) {
    const finding = typeof executable === 'string' ? await programFinding(executable, context) : missing(executable)
    found.set(finding.detail, finding)
  }
  return [...found.values()]
}

function missing({ message: detail, remedy }: { readonly message: string; readonly remedy: string }): Finding {
  return { check, state: 'fail', detail, remedy }
}

async function programFinding(executable: string, { paths }: CheckContext): Promise<Finding> {
  const version = await programVersion(executable)
  if (version === undefined) {
    const remedy = `${executable} --version (see why)`
    return { check, state: 'fail', detail: `${executable} does not print its version`, remedy }
  }
  const known = `Claude Code ${version} (${executable})`
  if (isOlder(version, oldestTested)) {
    const detail = `${known} is older than ${oldestTested}, the oldest that Iris is tested with`
    return { check, state: 'fail', detail, remedy: install }
  }
  const file = programFile(executable)
  const probed = file && probedOf(readProbes(paths.probes), file)
  const probe = 'iris doctor --probe'
  if (probed?.kind === 'bad') {
    const detail = `${known} does not behave as Iris expects: ${probed.record.differs.join(', ')}`
    return { check, state: 'fail', detail, remedy: `${probe} (shows what that breaks)` }
  }
  if (probed?.kind === 'changed') {
    const detail = `${known} is not the one that was probed last (${probed.record.version ?? 'unknown version'})`
    return { check, state: 'warn', detail, remedy: probe }
  }
  if (probed?.kind === 'good') return { check, state: 'ok', detail: `${known}, and the probe found nothing wrong` }
  if (isOlder(newestTested, version)) {
    const detail = `${known} is newer than ${newestTested}, the newest that Iris is tested with`
    return { check, state: 'warn', detail, remedy: probe }
  }
  return { check, state: 'ok', detail: known }
}
