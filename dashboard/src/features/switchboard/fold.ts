import type { Board } from './changes.ts'
import type { Edge } from './edges.ts'
import { type Filter, filtered, isEverything } from './filter.ts'
import type { Participant } from './participants.ts'

/** More than these are hard to tell apart. */
const mostParticipants = 15

/** What the map shows of a board: all of it, or what fits the filter. */
export function boardFor(board: Board, filter: Filter): Board {
  if (isEverything(filter)) return board
  const sessions = filtered(board.sessions, filter)
  const pairs = new Set(sessions.map(({ from, to }) => `${from}\0${to}`))
  const isOfTeam = (name: string): boolean =>
    name === filter.team || sessions.some(({ from, to }) => from === name || to === name)
  return {
    ...board,
    sessions,
    teams: board.teams.filter(({ name }) => isOfTeam(name)),
    traffic: board.traffic.filter(({ from, to }) => pairs.has(`${from}\0${to}`)),
  }
}

interface Folded {
  readonly participants: readonly Participant[]
  readonly edges: readonly Edge[]
  /** The participants that the one node stands for. */
  readonly hidden: readonly Participant[]
}

export const restName = '\0rest'

/**
 * The busiest participants as separate nodes, and the rest as one node that has all their edges. `kept` is never
 * folded.
 */
export function folded(participants: readonly Participant[], edges: readonly Edge[], kept: string | undefined): Folded {
  if (participants.length <= mostParticipants) return { participants, edges, hidden: [] }
  const weights = new Map<string, number>()
  for (const { from, to, isNow, lastDay } of edges) {
    for (const name of [from, to]) weights.set(name, (weights.get(name) ?? 0) + lastDay + (isNow ? 1e6 : 0))
  }
  const weightOf = ({ name }: Participant): number =>
    name === kept ? Number.POSITIVE_INFINITY : (weights.get(name) ?? 0)
  const shown = new Set(participants.toSorted((a, b) => weightOf(b) - weightOf(a)).slice(0, mostParticipants - 1))
  const names = new Set([...shown].map(({ name }) => name))
  const hidden = participants.filter((participant) => !shown.has(participant))
  return {
    participants: [...participants.filter((participant) => shown.has(participant)), restOf(hidden)],
    edges: edgesTo(names, edges),
    hidden,
  }
}

function restOf(hidden: readonly Participant[]): Participant {
  const sum = (value: (participant: Participant) => number): number =>
    hidden.reduce((all, participant) => all + value(participant), 0)
  return {
    name: restName,
    kind: 'rest',
    team: undefined,
    count: hidden.length,
    awake: sum(({ awake }) => awake),
    working: sum(({ working }) => working),
    queue: sum(({ queue }) => queue),
  }
}

/** The edges. Those of a folded participant end at the one node; those between two folded participants are left out. */
function edgesTo(names: ReadonlySet<string>, edges: readonly Edge[]): Edge[] {
  const joined = new Map<string, Edge>()
  for (const edge of edges) {
    const [from, to] = [edge.from, edge.to].map((name) => (names.has(name) ? name : restName)) as [string, string]
    if (from === restName && to === restName) continue
    const key = `${from}\0${to}`
    const known = joined.get(key)
    joined.set(key, known === undefined ? { ...edge, from, to } : summed(known, edge))
  }
  return [...joined.values()]
}

function summed(one: Edge, other: Edge): Edge {
  return {
    ...one,
    isNow: one.isNow || other.isNow,
    standing: other.isNow && !one.isNow ? other.standing : one.standing,
    queue: one.queue + other.queue,
    lastHour: one.lastHour + other.lastHour,
    lastDay: one.lastDay + other.lastDay,
    lastAt: Math.max(one.lastAt, other.lastAt),
  }
}
