import { dirname } from 'node:path'
import { systemClock } from '../../base/lib/clock.ts'
import { makeDirectory } from '../../base/lib/make-directory.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { ClauseView, ProbeReport } from '../../base/protocol/probe.ts'
import { programFile, writeProbe } from '../../claude/driver/probe-record.ts'
import { claudeExecutables } from '../../kernel/pool/claude-programs.ts'
import { programVersion } from '../../platform/machine/program-version.ts'
import { clauses } from '../probe/clauses.ts'
import { probe } from '../probe/probe.ts'
import type { Verdict } from '../probe/scene.ts'
import { checkContextOf, type Installation } from './check-context.ts'
import { refuseAgents } from './doctor.ts'

/**
 * Tests the contract with every `claude` that a team uses, one after the other, and stores the results in IRIS_HOME.
 * Throws `not_allowed` inside an agent, and if managed settings could make `claude` contact other machines;
 * `claude_not_found` when there is no `claude`.
 */
export async function probeInstalled(installation: Installation, signal: AbortSignal): Promise<readonly ProbeReport[]> {
  await refuseAgents(installation.env)
  const context = await checkContextOf(installation)
  const executables = await claudeExecutables(context.config, context.env)
  if (executables.length === 0) throw nothingToProbe()
  makeDirectory(dirname(context.paths.probes))
  const reports: ProbeReport[] = []
  for (const executable of executables) {
    const version = await programVersion(executable)
    const began = systemClock.elapsed()
    const program = programFile(executable)
    const verdicts = await probe({ executable, version, path: installation.env['PATH'] ?? '', signal })
    const verdict = verdictOf(verdicts)
    const differs = verdicts.flatMap(({ clause, state }) => (state === 'differs' ? [clause] : []))
    const record = { version: version ?? null, at: systemClock.now(), verdict, differs }
    if (program && !signal.aborted) writeProbe(context.paths.probes, { program, ...record })
    const durationMs = Math.round(systemClock.elapsed() - began)
    reports.push({ executable, version: version ?? null, verdict, durationMs, clauses: verdicts.map(viewOf) })
  }
  return reports
}

function verdictOf(verdicts: readonly Verdict[]): ProbeReport['verdict'] {
  if (verdicts.some(({ state }) => state === 'differs')) return 'bad'
  return verdicts.every(({ state }) => state === 'kept') ? 'good' : 'unknown'
}

function viewOf(verdict: Verdict): ClauseView {
  const { expects, breaks } = clauses[verdict.clause]
  return { ...verdict, expects, breaks }
}

function nothingToProbe(): IrisError {
  const what = 'There is no Claude Code to probe.'
  return new IrisError('claude_not_found', what, 'Run "iris doctor": it shows what is missing.')
}
