import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import { mapInTurns } from '../../../base/lib/in-turns.ts'
import type { Log } from '../../../base/lib/log.ts'
import type { Secrets } from '../../../base/lib/secrets.ts'
import { pairText } from '../../../base/protocol/pair.ts'
import type { StoreView } from '../../../base/protocol/store.ts'
import { knownTeam } from '../../../kernel/accept/admission.ts'
import type { SessionStatus } from '../../../kernel/accept/session-status.ts'
import type { Waits } from '../../../kernel/accept/waits.ts'
import { askerOf } from '../../../kernel/call/asker.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { type PairParts, pairOf } from '../../../kernel/call/pair.ts'
import { isRestricted, listedTeams, may } from '../../../kernel/call/policy.ts'
import { actorOf, type Principal } from '../../../kernel/call/principal.ts'
import type { Launcher } from '../../../kernel/pool/launch.ts'
import type { Seams } from '../../../kernel/session/seams.ts'
import type { TeamConfig } from '../../../platform/config/config.ts'
import { parseRemote } from '../../../platform/hosts/remote-command.ts'
import type { Machines } from '../../../platform/machine/machine.ts'
import type { Notices } from '../../../platform/store/notices.ts'
import type { teamSleep, teamStatus, teamWake } from '../contract.ts'

/** The dependencies of these operations. */
export interface TeamsParts extends PairParts {
  /** Why the current config.yaml is not in force; undefined if it is. */
  readonly configProblem: () => string | undefined
  /** Why the Claude Code in use may not behave in the way that Iris relies on; undefined when nothing is known. */
  readonly claudeProblem: () => string | undefined
  readonly clock: Clock
  readonly launcher: Pick<Launcher, 'agents' | 'programs' | 'setups'>
  readonly machines: Machines
  readonly waits: Waits
  readonly notices: Notices
  readonly store: () => StoreView
  /** Logs actions that publish no event. */
  readonly log: Log
  readonly secrets: Secrets
  readonly seams: Pick<Seams, 'accounts' | 'questions'>
}

type Out<Operation extends { output: z.ZodType }> = z.output<Operation['output']>
type In<Operation extends { input: z.ZodType }> = z.output<Operation['input']>

const sessionsShown = 100

export function awakeTeams(opened: readonly SessionStatus[]): ReadonlySet<string> {
  return new Set(opened.filter(({ processState }) => processState !== 'stopped').map(({ to }) => to))
}

export async function teamsStatus(
  input: In<typeof teamStatus>,
  call: Call,
  parts: TeamsParts,
): Promise<Out<typeof teamStatus>> {
  const { config, configProblem, claudeProblem, sessions, clock, notices } = parts
  const { principal } = call.auth
  const [ownTeam] = listedTeams(principal)
  askerOf(call.auth, input.fromTeam, config())
  if (input.team !== undefined) knownTeam(input.team, config())
  const { programs } = parts.launcher
  const isolations = await (input.team === undefined ? programs.isolationsOfAll() : programs.isolationsOf([input.team]))
  const { teams: configured } = config()
  const names = [...isolations.keys()].filter((name) => configured.has(name)).toSorted()
  const changed = claudeProblem()
  // With a damaged store, the answer shows the sessions in memory, and the damage.
  const isDamaged = parts.store().damage !== undefined
  const opened = sessions.opened()
  const awake = awakeTeams(opened)
  const hasNotifications = input.includeNotifications !== false && !isDamaged
  const teams = await mapInTurns(names, (name) => {
    const isolation = isolations.get(name)
    // The team was removed while the others were being described.
    if (isolation === undefined || !config().teams.has(name)) return []
    const all = isDamaged ? opened.filter(({ to }) => to === name) : sessions.ofTeam(name, sessionsShown)
    const own = all.filter((session) => may('team_status', principal, session))
    const views = own.map((session) => sessionView(session, parts))
    const described = {
      name,
      status: awake.has(name) ? ('awake' as const) : ('asleep' as const),
      sessions: views,
      ...(all.length === sessionsShown && { moreSessions: sessions.countOf(name) - sessionsShown }),
      config: { ...teamView(configured.get(name)!), ...limitOf(name, parts) },
      isolation,
      ...linkOf(name, principal, parts),
      ...unusableOf(configured.get(name)!, principal),
      ...setupOf(name, principal, parts),
      ...(hasNotifications && { notifications: notices.countsOf(name, ownTeam, clock.now()) }),
    }
    return [described]
  })
  return {
    teams: teams.flat(),
    pool: sessions.processes,
    store: parts.store(),
    ...shown(configProblem()),
    ...(!isRestricted(principal) && changed !== undefined && { claudeProblem: changed }),
    timestamp: clock.now(),
  }
}

export async function wake(input: In<typeof teamWake>, call: Call, parts: TeamsParts): Promise<Out<typeof teamWake>> {
  const { sessions, clock, log } = parts
  const began = clock.elapsed()
  const { from, to: team, thread } = await pairOf(input, call, parts)
  knownTeam(team, parts.config())
  const pair = { from, to: team, thread }
  const { sessionId, alreadyAwake } = await sessions.of(pair).wake(call.signal)
  const ids = { pair: pairText(pair), sessionId, by: actorOf(call.auth.principal) }
  log.for(`process:${team}`).info(alreadyAwake ? 'Wake asked for: the process runs already' : 'Woken', ids)
  const duration = clock.elapsed() - began
  return { team, from, thread, sessionId, status: 'awake', alreadyAwake, duration, timestamp: clock.now() }
}

export async function sleep(
  input: In<typeof teamSleep>,
  call: Call,
  parts: TeamsParts,
): Promise<Out<typeof teamSleep>> {
  const { sessions, clock } = parts
  const began = clock.elapsed()
  const pair = await pairOf(input, call, parts)
  const { from, to: team, thread } = pair
  const left = await sessions.of(pair).sleep({ force: input.force === true })
  const [cancelledTurnId] = left?.cancelled ?? []
  return {
    team,
    from,
    thread,
    ...(left && { sessionId: left.sessionId }),
    status: left?.hadProcess === true ? 'asleep' : 'already_asleep',
    ...(cancelledTurnId !== undefined && { cancelledTurnId }),
    duration: clock.elapsed() - began,
    timestamp: clock.now(),
  }
}

/** The link to the team's machine. `why` and `tunnel` reveal how the machine is reached, so only people get them. */
export function linkOf(name: string, principal: Principal, { machines }: TeamsParts) {
  const link = machines.linkOf(name)
  if (link === undefined) return {}
  const { why: _why, tunnel: _tunnel, ...known } = link
  return { link: isRestricted(principal) ? known : link }
}

/** The reason may name other directories of the machine. */
function unusableOf({ unusable }: TeamConfig, principal: Principal) {
  return unusable === undefined || isRestricted(principal) ? {} : { unusable }
}

/** The problems name files of the machine, and may quote them. */
function setupOf(name: string, principal: Principal, { launcher, secrets }: TeamsParts) {
  const known = launcher.setups.of(name)
  if (known === undefined || known.problems.length === 0 || isRestricted(principal)) return {}
  const problems = known.problems.map(({ kind, text }) => ({ kind, text: secrets.hideInText(text) }))
  return { setup: { problems, asOf: known.asOf } }
}

function sessionView(session: SessionStatus, { seams, waits }: TeamsParts) {
  const { from, thread, sessionId, processState, process, heldBy, breaker, messageCount } = session
  const asked = seams.questions.ofSession(session.id)
  const waitsFor = waits.ofFirst(session.queue)
  return {
    from,
    thread,
    sessionId,
    processState,
    ...(process && { pid: process.pid }),
    ...(heldBy !== undefined && { heldBy }),
    ...(session.unreachableSince !== undefined && { unreachableSince: session.unreachableSince }),
    ...(asked && { waitsForPermission: asked.toolName }),
    ...(waitsFor && { waitsFor }),
    messageCount,
    queueLength: session.waiting,
    lastActivity: session.lastUsedAt,
    ...(breaker && { breaker }),
  }
}

export function teamView({ path, realPath, remote, remoteOptions, description, color }: TeamConfig) {
  const host = remote === undefined ? undefined : parseRemote(remote, remoteOptions).name
  return {
    path,
    ...(host === undefined && realPath !== path && { realPath }),
    ...(host !== undefined && { host }),
    ...(description !== undefined && { description }),
    ...(color !== undefined && { color }),
  }
}

export function shown(configProblem: string | undefined) {
  return configProblem === undefined ? {} : { configProblem }
}

/** Until when the messages of the team's account wait, and because of which limit. */
export function limitOf(
  team: string,
  { seams }: { readonly seams: { readonly accounts: Pick<Seams['accounts'], 'of'> } },
): { limitedUntil?: number; limitedBy?: string } {
  const limited = seams.accounts.of(team)
  return limited ? { limitedUntil: limited.until, limitedBy: limited.window } : {}
}
