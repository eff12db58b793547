import { isBusy, type Standing, standingOf, standings } from '../../../../src/base/protocol/standing.ts'
import type { Board, Session } from './changes.ts'

/** One participant asks another. The figures cover all their threads. */
export interface Edge {
  readonly from: string
  readonly to: string
  /** Whether a message is being worked on or is waiting now. */
  readonly isNow: boolean
  /** Messages that wait behind those being worked on. */
  readonly queue: number
  /** The most important state among their sessions. */
  readonly standing: Standing
  readonly lastHour: number
  readonly lastDay: number
  /** Milliseconds since the epoch. */
  readonly lastAt: number
}

const dayMs = 24 * 3_600_000

/** Who talks to whom now, or did within a day of `now`. */
export function edgesOf({ sessions, traffic }: Board, now: number): Edge[] {
  const edges = new Map<string, Edge>()
  for (const { from, to, lastHour, lastDay, lastAt } of traffic) {
    if (lastAt < now - dayMs) continue
    edges.set(`${from}\0${to}`, { from, to, lastHour, lastDay, lastAt, isNow: false, queue: 0, standing: 'asleep' })
  }
  for (const session of sessions) {
    if (session.status === 'archived') continue
    const key = `${session.from}\0${session.to}`
    const known = edges.get(key)
    if (known !== undefined || isAlive(session)) edges.set(key, joined(known ?? quiet(session), session))
  }
  return [...edges.values()]
}

function isAlive(session: Session): boolean {
  return session.processState !== 'stopped' || isBusy(session)
}

function quiet({ from, to, lastUsedAt }: Session): Edge {
  return { from, to, lastHour: 0, lastDay: 0, lastAt: lastUsedAt, isNow: false, queue: 0, standing: 'asleep' }
}

function joined(edge: Edge, session: Session): Edge {
  return {
    ...edge,
    isNow: edge.isNow || isBusy(session),
    queue: edge.queue + session.queueLength,
    standing: [edge.standing, standingOf(session)].toSorted((a, b) => standings.indexOf(a) - standings.indexOf(b))[0]!,
    lastAt: Math.max(edge.lastAt, session.lastUsedAt),
  }
}

/** 0 to 1: how clearly an edge that is not at work is drawn; it fades over the day. */
export function clarity({ isNow, lastAt }: Edge, now: number): number {
  if (isNow) return 1
  return Math.max(0.15, 0.8 - 0.65 * Math.sqrt(Math.max(0, now - lastAt) / dayMs))
}
