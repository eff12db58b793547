import type { z } from 'zod'
import { mapInTurns } from '../../base/lib/in-turns.ts'
import type { SwitchboardSession } from '../../base/protocol/session-view.ts'
import { known, pageOf, wordsOf } from '../../features/conversations/handlers/list-sessions.ts'
import { type StandingParts, standing } from '../../features/conversations/standing.ts'
import { type ListTeamsParts, teamsElsewhere } from '../../features/teams/handlers/list-teams.ts'
import { limitOf, teamView } from '../../features/teams/handlers/teams.ts'
import type { Seams } from '../../kernel/session/seams.ts'
import type { ListedSession, SessionList } from '../../platform/store/session-list.ts'
import type { TrafficRows } from '../../platform/store/traffic.ts'
import type { getSwitchboard } from './contract.ts'

/** The dependencies of these operations. */
export interface SwitchboardParts extends ListTeamsParts, StandingParts {
  readonly sessionList: SessionList
  readonly traffic: TrafficRows
  readonly seams: Pick<Seams, 'accounts' | 'questions'>
}

type Input = z.output<typeof getSwitchboard.input>
type Output = z.output<typeof getSwitchboard.output>

const usualPage = 1000
/** The most processes whose memory one call measures. */
const maxMeasured = 500

export async function switchboard(input: Input, parts: SwitchboardParts): Promise<Output> {
  const { clock, sessions: handles, sessionList, traffic } = parts
  const { limit = usualPage, status = 'live', awake, query, cursor } = input
  const among = awake === undefined ? undefined : { ids: handles.awake().map(({ id }) => id), among: awake }
  const { rows, more } = pageOf(
    sessionList,
    { ...everything, status, words: wordsOf(query), rows: among },
    limit,
    cursor,
  )
  const isFirst = cursor === undefined && status !== 'archived' && awake !== false
  const timestamp = clock.now()
  const listed = isFirst ? [...rows, ...atWork(rows, parts)] : rows
  const teams = await teamsOf(parts)
  // Other work runs meanwhile. Whatever changes in that time is also an event, which readers apply on top, by its time.
  const sessions = await mapInTurns(listed, (row) => standing(row, parts))
  return {
    teams,
    sessions: input.memory === true ? await withMemory(sessions, parts) : sessions,
    ...more,
    traffic: traffic.before(timestamp),
    pool: handles.processes,
    timestamp,
  }
}

/** The current state of these sessions and of the pool. */
export function standingOf(sessionIds: readonly string[], parts: SwitchboardParts) {
  const sessions = parts.sessionList.named(sessionIds).map((row) => standing(row, parts))
  return { sessions, pool: parts.sessions.processes }
}

export const everything = {
  participants: [],
  from: undefined,
  to: undefined,
  thread: undefined,
  since: undefined,
  origin: undefined,
  words: [],
}

/** Sessions that have a process or a queue and are not on the page. */
function atWork(page: readonly ListedSession[], { sessions, sessionList }: SwitchboardParts): ListedSession[] {
  const shown = new Set(page.map(({ sessionId }) => sessionId))
  const queued = sessions.opened().filter(({ queue }) => queue.length > 0)
  const ids = [...sessions.awake(), ...queued].map(({ sessionId }) => sessionId)
  return sessionList.named(ids.filter((id) => !shown.has(id)))
}

async function teamsOf(parts: SwitchboardParts): Promise<Output['teams']> {
  const { config, launcher, machines } = parts
  const others = teamsElsewhere(parts).map(({ name, config: { idleTimeout: _idle, ...view }, link }) => ({
    name,
    ...view,
    ...(link && { link }),
  }))
  const own = await mapInTurns(config().teams, ([name, team]) => ({
    name,
    ...teamView(team),
    ...known({ link: machines.linkOf(name) }),
    ...limitOf(name, parts),
    terminalCommand: launcher.programs.terminalCommand(name, ''),
  }))
  return [...own, ...others]
}

async function withMemory(
  sessions: readonly SwitchboardSession[],
  { machines }: SwitchboardParts,
): Promise<SwitchboardSession[]> {
  const measured = sessions.filter(({ pid }) => pid !== undefined).slice(0, maxMeasured)
  const sizes = await Promise.all(measured.map(({ to, pid }) => machines.of(to).processes.residentBytes(pid!)))
  const bytes = new Map(measured.map((session, place) => [session, sizes[place]]))
  return sessions.map((session) => ({ ...session, ...known({ memoryBytes: bytes.get(session) }) }))
}
