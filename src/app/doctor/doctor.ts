import { IrisError } from '../../base/protocol/error.ts'
import type { Finding } from '../../base/protocol/finding.ts'
import { channels } from '../../features/channels/checks/channels.ts'
import { cluster } from '../../features/cluster/checks/cluster.ts'
import { callbacks } from '../../features/outbox/checks/callbacks.ts'
import { tokens } from '../../features/tokens/checks/tokens.ts'
import { triggers } from '../../features/triggers/checks/triggers.ts'
import { lineageOf } from '../../platform/callers/lineage.ts'
import type { Environment } from '../../platform/config/home.ts'
import { fewOpenFilesRemedy } from '../../platform/machine/open-files.ts'
import { tagOf, tagVariable } from '../../platform/machine/process-tag.ts'
import { type Check, type CheckContext, checkContextOf, type Diagnosis, type Installation } from './check-context.ts'
import { claude } from './claude.ts'
import { cleanUp } from './clean-up.ts'
import { configuration } from './configuration.ts'
import { copy } from './copy.ts'
import { dashboard } from './dashboard.ts'
import { features } from './features.ts'
import { homeFiles } from './home-files.ts'
import { hosts } from './hosts.ts'
import { isolation } from './isolation.ts'
import { login } from './login.ts'
import { guards, proc } from './proc.ts'
import { project } from './project.ts'
import { registrations } from './registrations.ts'
import { disk, memory, openFiles } from './resources.ts'
import { lock, orphans, port } from './running.ts'
import { sessionForms } from './session-forms.ts'
import { store } from './store.ts'
import { maxMs, withTimeLimit } from './time-limit.ts'

const oldestNode = 24

/** The checks, in the order of the report. */
const checks: Readonly<Record<string, Check>> = {
  node,
  home: homeFiles,
  copy,
  configuration,
  claude,
  login,
  project,
  hosts,
  cluster,
  channels,
  tokens,
  callbacks,
  triggers,
  store,
  disk,
  memory,
  files: openFiles,
  lock,
  orphans,
  port,
  features,
  isolation,
  proc: () => proc(),
  guards: ({ env }) => guards(env),
  transcripts: cleanUp,
  registration: registrations,
  elicitation: sessionForms,
  dashboard: () => dashboard(),
}

/** Runs all checks, with or without a daemon, a home or a configuration. Changes nothing. */
export async function diagnose(installation: Installation): Promise<readonly Finding[]> {
  return (await examine(installation)).map(toFinding)
}

/**
 * Applies the safe fixes once. Resolves with what they did and with the findings afterwards. Throws `not_allowed`
 * inside an agent.
 */
export async function fix(
  installation: Installation,
): Promise<{ readonly done: readonly string[]; readonly findings: readonly Finding[] }> {
  await refuseAgents(installation.env)
  const done: string[] = []
  for (const { check, fix: fixIt } of await examine(installation)) {
    const did = await fixIt?.().catch((error: unknown) => `could not fix ${check}: ${reason(error)}`)
    if (did !== undefined) done.push(did)
  }
  return { done, findings: await diagnose(installation) }
}

async function examine(installation: Installation): Promise<readonly Diagnosis[]> {
  const context = await checkContextOf(installation)
  const found = await Promise.all(Object.entries(checks).map(([name, check]) => bounded(name, check, context)))
  return found.flat()
}

/** Turns a check that fails or hangs into a finding. */
async function bounded(name: string, check: Check, context: CheckContext): Promise<readonly Diagnosis[]> {
  const looked = (async () => check(context))().catch((error: unknown): readonly Diagnosis[] => {
    if (error instanceof IrisError) return [{ check: name, state: 'fail', detail: error.message, remedy: error.remedy }]
    const detail = `this check failed: ${reason(error)}`
    return [{ check: name, state: 'fail', detail, remedy: fewOpenFilesRemedy() ?? 'Report it, with this line.' }]
  })
  return withTimeLimit(looked, () => {
    const detail = `this check did not finish within ${maxMs / 1000} s`
    return [{ check: name, state: 'warn', detail, remedy: `df ${context.home} (does its disk respond?)` }]
  })
}

function toFinding({ fix: fixIt, ...finding }: Diagnosis): Finding {
  return fixIt === undefined ? finding : { ...finding, canFix: true }
}

function node(): readonly Finding[] {
  const detail = `Node ${process.versions.node}`
  if (Number(process.versions.node.split('.')[0]) >= oldestNode) return [{ check: 'node', state: 'ok', detail }]
  return [{ check: 'node', state: 'fail', detail, remedy: `Install Node ${oldestNode} or newer.` }]
}

/** Refuses agents, also those that removed their tag, by their ancestors' tags. Throws `not_allowed`. */
export async function refuseAgents(env: Environment): Promise<void> {
  const ancestors = await lineageOf(process.ppid)
  const tags = await Promise.all(ancestors.map(tagOf))
  if (!env[tagVariable] && tags.every((tag) => tag === undefined)) return
  throw new IrisError(
    'not_allowed',
    'This runs inside an agent of Iris. Agents may run diagnostics but not fixes.',
    'A person can run this in their own terminal.',
  )
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
