import type { SwitchboardSession } from '../../base/protocol/session-view.ts'
import { isFailure, needOf } from '../../base/protocol/standing.ts'
import type { InboxRows, KeptRow } from '../../features/inbox/rows.ts'
import type { Marked } from '../../features/inbox/state.ts'
import { subjectOf } from '../../features/inbox/subject.ts'
import type { OutboxRows } from '../../features/outbox/rows.ts'
import type { ListedSession } from '../../platform/store/session-list.ts'
import type { SwitchboardParts } from '../switchboard/handlers.ts'
import type { InboxItem } from './contract.ts'

/** A conversation at work, or with a need: its row and its state. */
export interface Urgent {
  readonly row: ListedSession
  readonly session: SwitchboardSession
}

export interface SourceParts extends Pick<SwitchboardParts, 'questions'> {
  readonly inboxRows: InboxRows
  readonly outboxRows: Pick<OutboxRows, 'undelivered'>
}

/** Something for the owner. `marked`: its row, where the source has read it. */
export interface Found extends Omit<InboxItem, 'state' | 'until'> {
  readonly sessionId: string
  readonly marked?: Marked
}

export type Source = (urgent: readonly Urgent[], parts: SourceParts) => readonly Found[]

/** More than anybody reads; more would make each look at the inbox as long as its past. */
export const maxKept = 500

const questions: Source = (urgent, { questions: asked }) =>
  urgent.flatMap(({ row, session: { sessionId } }): Found[] => {
    const question = asked.ofSession(row.id)
    if (question === undefined) return []
    const { id, toolName, askedAt, deadline, turn } = question
    const about = { permissionId: id, toolName, deadline, ...(turn !== null && { turnId: turn }) }
    return [{ subject: subjectOf('question', id), kind: 'question', sessionId, at: askedAt, ...about }]
  })

const failures: Source = (urgent) =>
  urgent.flatMap(({ session }): Found[] => {
    const { sessionId, lastTurn, breaker } = session
    if (needOf(session) !== 'failed') return []
    if (breaker !== undefined || lastTurn === undefined || !isFailure(lastTurn))
      return [{ subject: subjectOf('broken', sessionId), kind: 'broken', sessionId, at: session.lastUsedAt }]
    const { turnId, settledAt, acceptedAt, message } = lastTurn
    const about = { turnId, message, at: settledAt ?? acceptedAt }
    return [{ subject: subjectOf('failed', turnId), kind: 'failed', sessionId, ...about }]
  })

const openElsewhere: Source = (urgent) =>
  urgent.flatMap(({ session }): Found[] => {
    if (needOf(session) !== 'openElsewhere') return []
    const { sessionId, lastUsedAt } = session
    return [{ subject: subjectOf('openElsewhere', sessionId), kind: 'openElsewhere', sessionId, at: lastUsedAt }]
  })

/** Events that no callback took. One of a message is enough. */
const undelivered: Source = (_urgent, { outboxRows }) => {
  const byTurn = new Map(outboxRows.undelivered(maxKept).map((row) => [row.turn, row]))
  return [...byTurn.values()].map(({ turn, sessionId, failedAt, message, callback, problem }): Found => {
    const about = { subject: subjectOf('undelivered', turn), sessionId, at: failedAt, turnId: turn, message }
    return { ...about, kind: 'undelivered', text: `${callback}: ${problem}` }
  })
}

const kept: Source = (_urgent, { inboxRows }) => inboxRows.open(maxKept).flatMap(foundOf)

/** The store's data for the inbox: answers, expired items, events without a message, and dismissed failures. */
export function foundOf(row: KeptRow): readonly Found[] {
  const { subject, sessionId, turn, message, text, toolName } = row
  const about = { subject, sessionId, at: row.since, marked: row, ...(turn !== null && { turnId: turn }) }
  if (subject.startsWith(subjectOf('event', ''))) return [{ ...about, kind: 'event' }]
  if (toolName !== null)
    return [{ ...about, kind: 'expired', toolName, permissionId: subject.slice(subject.indexOf(':') + 1) }]
  // Its turn was deleted.
  if (message === null) return []
  const kind = subject.startsWith(subjectOf('failed', '')) ? 'failed' : 'answer'
  return [{ ...about, kind, message, ...(text !== null && { text }) }]
}

/** The sources of inbox items. Each reports its own; nothing else here knows any kind by name. */
export const sources: readonly Source[] = [questions, failures, openElsewhere, undelivered, kept]
