import type { Connection } from '../../../adapters/client/event-stream.ts'
import type { Output } from '../../../adapters/client/tool-call.ts'
import { shownPair } from '../../../base/protocol/pair.ts'
import type { PermissionView } from '../../../base/protocol/permission-view.ts'
import type { SwitchboardSession } from '../../../base/protocol/session-view.ts'
import type { StreamEvent } from '../daemon-events.ts'
import { begun, says, tells, type Work } from './work.ts'

export type LogLine = Exclude<Output<'get_logs'>['logs'][number], string>

/** The last turn of a conversation, from before the monitor started. */
type RecalledTurn = Output<'session_turns'>['turns'][number]

/**
 * What the monitor receives: events, answers to its calls (`board`, `questions`, `recalled`), log entries, and the
 * state of the connection.
 */
export type Frame =
  | StreamEvent
  | { readonly type: 'board'; readonly board: Output<'get_switchboard'> }
  | { readonly type: 'questions'; readonly questions: readonly PermissionView[] }
  | { readonly type: 'recalled'; readonly sessionId: string; readonly turn: RecalledTurn }
  | { readonly type: 'log'; readonly entries: readonly LogLine[] }
  /** `at` in milliseconds since the epoch. */
  | { readonly type: 'connection'; readonly connection: Connection; readonly at: number }

/** Everything the monitor knows about this Iris. */
export interface Seen {
  readonly connection: Connection
  /** When the connection to the daemon was lost, in milliseconds since the epoch. */
  readonly lostAt: number | undefined
  readonly pool: { readonly activeProcesses: number; readonly maxProcesses: number }
  /** Why the last saved config.yaml is not in force; undefined if it is in force. */
  readonly configProblem: string | undefined
  /** Why Claude Code may not do what Iris relies on. */
  readonly claudeProblem: string | undefined
  /** Whether sessions and questions have been loaded. */
  readonly knows: { readonly sessions: boolean; readonly questions: boolean }
  readonly sessions: ReadonlyMap<string, SwitchboardSession>
  /** By team: the machine where it lives, if that is another one. */
  readonly hosts: ReadonlyMap<string, string>
  /** By session: the turn that it answers, or answered last. */
  readonly works: ReadonlyMap<string, Work>
  /** Open questions, oldest first. */
  readonly questions: readonly PermissionView[]
  readonly log: readonly LogLine[]
}

export const nothingSeen: Seen = {
  connection: 'connecting',
  lostAt: undefined,
  pool: { activeProcesses: 0, maxProcesses: 0 },
  configProblem: undefined,
  claudeProblem: undefined,
  knows: { sessions: false, questions: false },
  sessions: new Map(),
  hosts: new Map(),
  works: new Map(),
  questions: [],
  log: [],
}

const maxLogLines = 500

/** The state after a frame; the same value where nothing changes. */
export function reduce(seen: Seen, frame: Frame): Seen {
  switch (frame.type) {
    case 'connection': {
      const lostAt = frame.connection === 'lost' ? (seen.lostAt ?? frame.at) : undefined
      return { ...seen, connection: frame.connection, lostAt }
    }
    case 'snapshot': {
      const { pool, configProblem, claudeProblem } = frame
      return { ...seen, pool, configProblem, claudeProblem, works: worksAfter(seen.works, frame.turns) }
    }
    case 'config-rejected':
      return { ...seen, configProblem: frame.text }
    case 'config-reloaded':
      return { ...seen, configProblem: undefined }
    case 'claude-changed':
      return { ...seen, claudeProblem: frame.problem }
    case 'board': {
      const { pool, sessions, teams } = frame.board
      const hosts = new Map(teams.flatMap(({ name, host }) => (host === undefined ? [] : [[name, host]])))
      const known = new Map(sessions.map((session) => [session.sessionId, session]))
      return { ...seen, pool, knows: { ...seen.knows, sessions: true }, sessions: known, hosts }
    }
    case 'session-changed': {
      const { session, activeProcesses, maxProcesses } = frame
      const sessions = new Map(seen.sessions)
      if (session.status === 'archived') sessions.delete(session.sessionId)
      else sessions.set(session.sessionId, session)
      return { ...seen, pool: { activeProcesses, maxProcesses }, sessions }
    }
    case 'questions':
      return { ...seen, knows: { ...seen.knows, questions: true }, questions: inOrder(frame.questions) }
    case 'permission:request':
    case 'permission:resolved':
    case 'permission:timeout':
      return { ...seen, questions: withQuestion(seen.questions, frame.permission) }
    case 'recalled':
      return seen.works.has(frame.sessionId) ? seen : withRecalled(seen, frame.sessionId, frame.turn)
    case 'log':
      return { ...seen, log: [...seen.log, ...frame.entries].slice(-maxLogLines) }
    default:
      return withWork(seen, frame)
  }
}

function withWork(seen: Seen, frame: StreamEvent): Seen {
  switch (frame.type) {
    case 'turn-delivered':
      // A turn that is delivered again keeps its text: if the text starts over, it comes with offset 0.
      return working(seen, frame, (work) => ({ ...work, since: work.since ?? frame.at }))
    case 'turn-text':
      // Here, `at` is an offset in the text; in other frames, it is a time.
      return working(seen, frame, (work) => says(work, frame.at, frame.text))
    case 'turn-thinking':
      // An empty text only replaces an earlier one; it does not mean that Claude is thinking now.
      return frame.text === '' ? seen : working(seen, frame, (work) => ({ ...work, doing: 'thinks' }))
    case 'turn-message':
      return working(seen, frame, (work) => tells(work, frame.message))
    case 'turn-settled':
      // A turn that was cancelled in the queue has no work here.
      if (seen.works.get(frame.sessionId)?.turnId !== frame.turnId) return seen
      return working(seen, frame, (work) => ({ ...work, outcome: frame.outcome, doing: '' }))
    case 'session-archived': {
      const works = new Map(seen.works)
      const sessions = new Map(seen.sessions)
      works.delete(frame.sessionId)
      sessions.delete(frame.sessionId)
      return { ...seen, works, sessions }
    }
    default:
      return seen
  }
}

/**
 * Applies a change to the work of the frame's turn. If the session's last known turn was another one, the work begins
 * here.
 */
function working(
  seen: Seen,
  { sessionId, turnId }: { readonly sessionId: string; readonly turnId: string },
  change: (work: Work) => Work,
): Seen {
  const before = seen.works.get(sessionId)
  const changed = change(before?.turnId === turnId ? before : begun(turnId))
  return changed === before ? seen : { ...seen, works: new Map(seen.works).set(sessionId, changed) }
}

function withRecalled(seen: Seen, sessionId: string, { turnId, status, message, text }: RecalledTurn): Seen {
  // Not needed: the stream reports queued and running turns.
  if (status === 'queued' || status === 'working') return seen
  const work = { ...begun(turnId), asked: message, text: text ?? '', doing: '', outcome: status }
  return { ...seen, works: new Map(seen.works).set(sessionId, work) }
}

type LiveTurns = Extract<StreamEvent, { type: 'snapshot' }>['turns']

/** Ended turns stay readable; all others are as in the snapshot. */
function worksAfter(works: Seen['works'], turns: LiveTurns): Seen['works'] {
  const ended = [...works].filter(([, { outcome }]) => outcome !== undefined)
  const live = turns.map(({ sessionId, turnId, text }): [string, Work] => {
    const known = works.get(sessionId)
    return [sessionId, says(known?.turnId === turnId ? known : begun(turnId), 0, text)]
  })
  return new Map([...ended, ...live])
}

function withQuestion(questions: Seen['questions'], question: PermissionView): Seen['questions'] {
  const others = questions.filter(({ permissionId }) => permissionId !== question.permissionId)
  return question.state === 'pending' ? inOrder([...others, question]) : others
}

function inOrder(questions: Seen['questions']): Seen['questions'] {
  return questions.toSorted((a, b) => a.askedAt - b.askedAt)
}

/** Sessions in display order: first those with a process or work, by pair; then the others, the last used one first. */
export function listed({ sessions }: Seen): readonly SwitchboardSession[] {
  const all = [...sessions.values()]
  const awake = all.filter(isAwake).toSorted((a, b) => (shownPair(a) < shownPair(b) ? -1 : 1))
  const asleep = all.filter((session) => !isAwake(session)).toSorted((a, b) => b.lastUsedAt - a.lastUsedAt)
  return [...awake, ...asleep]
}

function isAwake({ processState, queueLength, runningTurnId, breaker, heldBy }: SwitchboardSession): boolean {
  return (
    processState !== 'stopped' || queueLength > 0 || runningTurnId !== undefined || breaker !== undefined || !!heldBy
  )
}
