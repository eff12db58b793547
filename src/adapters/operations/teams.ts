import type { z } from 'zod'
import type { IsolationView, listTeams, teamSleep, teamStatus, teamWake } from '../../base/protocol/operations/teams.ts'
import { type Pair, pairText } from '../../base/protocol/party.ts'
import { knownTeam } from '../../core/orchestrator/admission.ts'
import type { Session } from '../../core/session/session.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import type { Call, Domain } from './call.ts'
import { fromParty } from './from-party.ts'
import { busy, pairOf } from './pair.ts'
import { isRestricted, listedTeams, may } from './policy.ts'
import { actorOf } from './principal.ts'

type Out<Operation extends { output: z.ZodType }> = z.output<Operation['output']>
type In<Operation extends { input: z.ZodType }> = z.output<Operation['input']>

const sessionsShown = 100

export function list({ config, configProblem, clock }: Domain): Out<typeof listTeams> {
  const { teams, settings } = config()
  const views = [...teams].map(([name, team]) => ({
    name,
    config: { ...teamView(team), idleTimeout: team.idleTimeout ?? settings.idleTimeout },
  }))
  return { teams: views, totalTeams: views.length, ...shown(configProblem()), timestamp: clock.now() }
}

export async function teamsStatus(
  input: In<typeof teamStatus>,
  call: Call,
  domain: Domain,
): Promise<Out<typeof teamStatus>> {
  const { config, configProblem, claudeProblem, pool, sessions, clock, notices } = domain
  const { principal } = call.caller
  const [party] = listedTeams(principal)
  fromParty(call.caller, input.fromTeam, config())
  if (input.team !== undefined) knownTeam(input.team, config())
  const names = input.team === undefined ? [...config().teams.keys()].toSorted() : [input.team]
  const { teams: configured } = config()
  const isolations = await isolationsOf(names, domain)
  const changed = claudeProblem()
  // Then it tells what is in memory, and that.
  const isDamaged = domain.store().damage !== undefined
  const hasNotifications = input.includeNotifications !== false && !isDamaged
  const teams = names.map((name) => {
    const all = isDamaged ? [...sessions.all()].filter(({ to }) => to === name) : sessions.ofTeam(name, sessionsShown)
    const own = all.filter((session) => may('team_status', principal, session))
    const views = own.map((session) => sessionView(session, domain))
    const awake = pool.holders().some((session) => session.to === name)
    return {
      name,
      status: awake ? ('awake' as const) : ('asleep' as const),
      sessions: views,
      config: teamView(configured.get(name)!),
      isolation: isolations.get(name)!,
      ...(hasNotifications && { notifications: notices.countsOf(name, party, clock.now()) }),
    }
  })
  return {
    teams,
    pool: { activeProcesses: pool.size, maxProcesses: pool.maxProcesses },
    store: domain.store(),
    ...shown(configProblem()),
    ...(!isRestricted(principal) && changed !== undefined && { claudeProblem: changed }),
    timestamp: clock.now(),
  }
}

export async function wake(input: In<typeof teamWake>, call: Call, domain: Domain): Promise<Out<typeof teamWake>> {
  const { pool, sessions, clock, log } = domain
  const began = clock.elapsed()
  const pair = pairOf(input, call, domain)
  knownTeam(pair.to, domain.config())
  const session = sessions.open(pair)
  const alreadyAwake = pool.state(session) !== 'stopped'
  if (!alreadyAwake) {
    await pool.acquire(session, call.signal)
    pool.release(session)
  }
  const ids = { pair: pairText(pair), sessionId: session.sessionId, by: actorOf(call.caller.principal) }
  log.for(`process:${pair.to}`).info(alreadyAwake ? 'Wake asked for: the process runs already' : 'Woken', ids)
  return {
    ...pairView(pair, session),
    status: 'awake',
    alreadyAwake,
    duration: clock.elapsed() - began,
    timestamp: clock.now(),
  }
}

export async function sleep(input: In<typeof teamSleep>, call: Call, domain: Domain): Promise<Out<typeof teamSleep>> {
  const { pool, sessions, turns, clock } = domain
  const began = clock.elapsed()
  const pair = pairOf(input, call, domain)
  const session = sessions.find(pair)
  const running = session?.running && turns.handle(session.running.id)
  if (running && input.force !== true) throw busy(pair, running.id, 'cancel it')
  await running?.cancel()
  const slept = session !== undefined && (await pool.retire(session, 'put to sleep', running?.wait()))
  return {
    ...pairView(pair, session),
    status: slept ? 'asleep' : 'already_asleep',
    ...(running && { cancelledTurnId: running.id }),
    duration: clock.elapsed() - began,
    timestamp: clock.now(),
  }
}

async function isolationsOf(names: readonly string[], { launcher }: Domain): Promise<Map<string, IsolationView>> {
  return new Map(
    await Promise.all(names.map(async (name) => [name, await launcher.programs.isolationOf(name)] as const)),
  )
}

function pairView({ from, to, thread }: Pair, session: Session | undefined) {
  return { team: to, from, thread, ...(session && { sessionId: session.sessionId }) }
}

function sessionView(session: Session, { pool, takeOvers, questions }: Domain) {
  const { from, thread, sessionId, row } = session
  const pid = pool.process(session)?.pid
  const breaker = pool.breakers.broken(session)
  const asked = questions.ofSession(row.id)
  const heldBy = takeOvers.holderOf(session)
  return {
    from,
    thread,
    sessionId,
    processState: pool.state(session),
    ...(pid !== undefined && { pid }),
    ...(heldBy !== undefined && { heldBy }),
    ...(asked && { waitsForPermission: asked.toolName }),
    messageCount: row.messageCount,
    queueLength: session.waiting,
    lastActivity: row.lastUsedAt,
    ...(breaker && { breaker }),
  }
}

function teamView({ path, description, color }: TeamConfig) {
  return { path, ...(description !== undefined && { description }), ...(color !== undefined && { color }) }
}

function shown(configProblem: string | undefined) {
  return configProblem === undefined ? {} : { configProblem }
}
