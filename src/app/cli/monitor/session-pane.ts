import { mainThread, shownPair } from '../../../base/protocol/pair.ts'
import type { SwitchboardSession } from '../../../base/protocol/session-view.ts'
import { type Standing, standingOf } from '../../../base/protocol/standing.ts'
import { waitsForText } from '../../../base/protocol/waits-for-text.ts'
import { cutTo, endOf, padded, widthOf, wrapped } from '../wrapped.ts'
import { ageText, around, dim, type Line, type Span } from './line.ts'
import { listed, type Seen } from './state.ts'
import { chosenSession, type View } from './view.ts'

const colors: Readonly<Record<Standing, Span['color']>> = {
  failed: 'red',
  'waiting for you': 'yellow',
  'open elsewhere': 'yellow',
  unreachable: 'yellow',
  working: 'cyan',
  starting: 'cyan',
  queued: 'cyan',
  idle: 'green',
  ending: undefined,
  asleep: undefined,
  archived: undefined,
}

/** How many columns a pair needs next to its thread. */
const minPair = 10

const nothingAsked = 'Nobody has asked anything yet: iris tell <team> <message>'

/** One row for each session: state, activity, queued messages, age of its process. */
export function sessionLines(seen: Seen, view: View, now: number, width: number, height: number): readonly Line[] {
  const sessions = listed(seen)
  if (sessions.length === 0 && !seen.knows.sessions) return [dim('  Loading …')]
  if (sessions.length === 0) return wrapped(nothingAsked, Math.max(1, width - 2)).map((row) => dim(`  ${row}`))
  const chosen = chosenSession(seen, view)
  const names = Math.min(
    Math.max(...sessions.map((each) => shownPair(each).length)),
    Math.max(12, Math.floor(width * 0.4)),
  )
  const states = Math.max(...sessions.map((each) => standingOf(each).length))
  const hasRoomForAge = names + states + 12 <= width
  const lines = sessions.map((session) => {
    const does = doing(session, seen, now)
    const end = queueText(session) + (hasRoomForAge ? `${age(session, now).padStart(5)} ` : '')
    const room = Math.max(0, width - names - states - 6 - end.length)
    return lineOf(session, {
      isChosen: session === chosen,
      name: padded(pairIn(session, names), names),
      state: standingOf(session).padEnd(states),
      does: fitted(does, room),
      end,
    })
  })
  return around(lines, sessions.indexOf(chosen!), height)
}

/** The pair in `width` columns. The thread is kept where there is room for it: it tells two conversations of a pair apart. */
function pairIn(session: SwitchboardSession, width: number): string {
  const whole = shownPair(session)
  if (widthOf(whole) <= width) return whole
  const end = session.thread === mainThread ? '' : ` (${session.thread})`
  const room = width - widthOf(end)
  if (room >= minPair) return cutTo(whole.slice(0, whole.length - end.length), room) + end
  return `${cutTo(whole, minPair)}${endOf(end, width - minPair)}`
}

interface Cells {
  readonly isChosen: boolean
  readonly name: string
  readonly state: string
  readonly does: string
  readonly end: string
}

function lineOf(session: SwitchboardSession, { isChosen, name, state, does, end }: Cells): Line {
  const color = colors[standingOf(session)]
  const isFaint = color === undefined
  return [
    { text: isChosen ? '❯ ' : '  ', bold: true },
    { text: name, bold: isChosen, dim: isFaint },
    { text: `  ${state}  `, dim: isFaint, ...(color && { color }) },
    { text: does, dim: isFaint },
    { text: end, dim: true },
  ]
}

/** What the session is doing now, or why it is doing nothing. */
function doing(session: SwitchboardSession, seen: Seen, now: number): string {
  const { sessionId, to, breaker, waitsForPermission, waitsFor, heldBy, unreachableSince, archivedWhy } = session
  const host = seen.hosts.get(to)
  if (breaker !== undefined) return breaker.cause
  if (waitsForPermission !== undefined) return `wants to use ${waitsForPermission}`
  if (waitsFor !== undefined && waitsFor.kind !== 'machine') return waitsForText(waitsFor)
  if (heldBy !== undefined) return `in a terminal (process ${heldBy})`
  if (unreachableSince !== undefined) return `${host ?? 'its machine'}, for ${ageText(now - unreachableSince)}`
  if (host !== undefined && standingOf(session) === 'starting') return `on ${host}`
  const work = seen.works.get(sessionId)
  if (work === undefined) return archivedWhy ?? ''
  if (work.outcome !== undefined) return work.outcome.replace('_', ' ')
  return work.since === undefined ? work.doing : `${ageText(now - work.since)}  ${work.doing}`
}

function queueText({ queueLength }: SwitchboardSession): string {
  return queueLength === 0 ? '' : ` +${queueLength}`
}

function age({ startedAt }: SwitchboardSession, now: number): string {
  if (startedAt === undefined) return ''
  return now - startedAt < 60_000 ? '<1m' : ageText(now - startedAt)
}

/** One row of exactly `width` columns. */
function fitted(text: string, width: number): string {
  const row = cutTo(text.replace(/\s+/g, ' '), width)
  return padded(row, width)
}
