import { IrisError } from '../../../base/protocol/error.ts'
import type { Finding } from '../../../base/protocol/finding.ts'
import type { ClauseView, ProbeReport } from '../../../base/protocol/probe.ts'
import { irisHome } from '../../../platform/config/home.ts'
import type { CommandContext } from '../context.ts'
import { counted } from '../counted.ts'
import type { Installation } from '../daemon-code.ts'
import { interrupted } from '../exit-code.ts'
import { findDaemon } from '../find-daemon.ts'
import { processTag } from '../inside-agent.ts'
import { serviceFinding } from '../service/stale.ts'
import type { Given } from '../table/spec.ts'

/** Prints the findings with their remedies; resolves with the exit code, 1 when a check fails. */
export async function doctor({ context, env, options, daemon: { doctor: code }, json }: Given): Promise<number> {
  const home = irisHome(env)
  const installation = { home, env, daemon: await findDaemon(home) }
  const isFixing = options['fix'] === true
  if (isFixing && options['probe'] === true) {
    throw new IrisError('invalid_input', '--fix and --probe cannot be combined.', 'Run one after the other.')
  }
  if (options['probe'] === true) return probe(context, installation, code, json)
  const { done, findings } = isFixing
    ? await code.fix(installation)
    : { done: [], findings: await code.diagnose(installation) }
  const service = serviceFinding(home, env)
  const inAgent = env[processTag] && installation.daemon === undefined ? [hidden] : []
  const all = [...inAgent, ...findings, ...(service === undefined ? [] : [service])]
  const isWell = all.every(({ state }) => state !== 'fail')
  if (json) context.sayJson({ ok: isWell, home, ...(isFixing && { done }), findings: all })
  else
    for (const line of [...doneLines(done, isFixing, all), ...all.flatMap(linesOf), '', ...offer(all), summary(all)])
      context.say(line)
  return isWell ? 0 : 1
}

const hidden: Finding = {
  check: 'agent',
  state: 'warn',
  detail: 'this runs inside an agent, whose isolation may hide things from this check, including Iris itself',
  remedy: 'Run it outside the agent.',
}

function doneLines(done: readonly string[], isFixing: boolean, all: readonly Finding[]): readonly string[] {
  if (!isFixing) return []
  const nothing = all.every(({ state }) => state === 'ok')
    ? 'There is nothing to fix.'
    : 'Nothing here can be fixed safely.'
  return [...(done.length === 0 ? [nothing] : done.map((what) => `did   ${what}`)), '']
}

function linesOf({ check, state, detail, remedy }: Finding): string[] {
  const [first, ...more] = [
    ...detail.split('\n'),
    ...(remedy === undefined ? [] : remedy.split('\n').map((line) => `→ ${line}`)),
  ]
  return [`${state.padEnd(4)}  ${check.padEnd(13)}  ${first}`, ...more.map((line) => `${' '.repeat(21)}${line}`)]
}

function offer(findings: readonly Finding[]): readonly string[] {
  const count = findings.filter(({ canFix }) => canFix).length
  return count === 0 ? [] : [`"iris doctor --fix" fixes ${count} of these.`]
}

/** The last line, which sums up all findings above it. */
function summary(findings: readonly Finding[]): string {
  const count = (state: Finding['state']): number => findings.filter((each) => each.state === state).length
  const [failed, warned] = [count('fail'), count('warn')]
  if (failed + warned === 0) return `All good: ${findings.length} checks passed.`
  const bad = [failed === 0 ? [] : `${failed} failed`, warned === 0 ? [] : counted(warned, 'warning')].flat()
  return `${bad.join(', ')}, ${count('ok')} ok.`
}

async function probe(
  context: CommandContext,
  installation: Installation,
  code: Given['daemon']['doctor'],
  json: boolean,
): Promise<number> {
  const stopped = new AbortController()
  const stop = (): void => stopped.abort()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) context.onceSignal(signal, stop)
  if (!json)
    context.note('Trying what Iris relies on with your Claude Code and a scripted model, on this machine alone …')
  const reports = await code.probeInstalled(installation, stopped.signal)
  const isGood = reports.every(({ verdict }) => verdict === 'good')
  if (json) context.sayJson({ ok: isGood, home: installation.home, reports })
  else for (const line of reports.flatMap(reportLines)) context.say(line)
  if (stopped.signal.aborted) return interrupted
  return isGood ? 0 : 1
}

function reportLines({ executable, version, clauses, durationMs }: ProbeReport): readonly string[] {
  const program = `Claude Code ${version ?? 'of unknown version'} (${executable})`
  const others = clauses.filter(({ state }) => state !== 'kept')
  const seconds = Math.round(durationMs / 1000)
  const kept = `${program} keeps ${clauses.length - others.length} of the ${clauses.length} clauses that Iris relies on (${seconds} s).`
  return [...others.map(clauseLine), kept]
}

function clauseLine({ clause, state, expects, did, breaks }: ClauseView): string {
  if (state === 'untried') return `?        ${clause}: ${did}`
  return `differs  ${clause}: Iris expects: it ${expects}. Found: ${did}. What that breaks: ${breaks}.`
}
