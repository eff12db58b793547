import type { z } from 'zod'
import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import type { ItemKind } from '../../base/protocol/inbox-needs.ts'
import type { LastTurns } from '../../platform/store/last-turns.ts'
import type { ItemState, markInbox } from './contract.ts'
import type { InboxChange, InboxNews } from './inbox-news.ts'
import type { InboxRows } from './rows.ts'
import { putOffUntil, refusedMark } from './state.ts'
import { readSubject } from './subject.ts'

/** The dependencies of these operations. */
export interface MarkParts {
  readonly clock: Clock
  readonly publish: (event: IrisEvent) => void
  readonly inboxRows: InboxRows
  readonly inboxNews: Pick<InboxNews, 'look' | 'awaits' | 'received'>
  /** The pair and id of a conversation by its row id. */
  readonly idsOf: (session: number) => InboxChange
  readonly lastTurns: Pick<LastTurns, 'dismiss' | 'restore'>
}

type Input = z.output<typeof markInbox.input>
type Output = z.output<typeof markInbox.output>

/**
 * mark_inbox: marks all subjects in one commit, or none of them. Throws `invalid_input` for a mark that says nothing.
 */
export function mark(input: Input, parts: MarkParts): Output {
  const { state, until, pinned, subjects } = input
  const now = parts.clock.now()
  if (state === undefined && pinned === undefined) throw wrong('Give state or pinned.')
  if ((state === 'later') !== (until !== undefined)) throw wrong('Give until with state later, and only with it.')
  const marked: string[] = []
  const left: { subject: string; why: string }[] = []
  const sessions = new Set<number>()
  parts.inboxRows.atomically(() => {
    for (const subject of new Set(subjects)) {
      const session = markOne(subject, input, now, parts)
      if (typeof session === 'string') left.push({ subject, why: session })
      else {
        marked.push(subject)
        sessions.add(session)
      }
    }
    parts.inboxRows.forget(now)
  })
  for (const session of sessions) parts.publish({ type: 'inbox-changed', ...parts.idsOf(session) })
  if (state === 'later') parts.inboxNews.look()
  return { marked, left, timestamp: now }
}

const unknown = 'Iris does not know it.'

/** Returns the row id of the item's conversation, or why the item stays unchanged. */
function markOne(subject: string, { state, until, pinned }: Input, now: number, parts: MarkParts): number | string {
  const read = readSubject(subject)
  if (read === undefined) return unknown
  const { kind, id } = read
  const { inboxRows: rows } = parts
  if (kind === 'conversation') {
    const session = rows.sessionOf(id)
    if (session === undefined) return unknown
    if (pinned === undefined) return 'A conversation can only be pinned.'
    rows.pin(subject, session, pinned, now)
    return session
  }
  if (state === undefined) return 'Only a conversation can be pinned.'
  const found = whereIs(kind, id, rows)
  const refused = refusedMark(kind, state)
  if (found === undefined || refused !== undefined) return refused ?? unknown
  const bounded = until === undefined ? undefined : putOffUntil(until, now, found.deadline)
  if (until !== undefined && bounded === undefined) return 'There is no time left to put it off.'
  rows.mark(subject, found.session, state, now, bounded ?? null)
  if (kind === 'failed') failureMarked(id, state, now, parts)
  return found.session
}

/** A failure marked done is dismissed wherever it is shown. */
function failureMarked(turn: string, state: ItemState, now: number, { lastTurns }: MarkParts): void {
  if (state === 'done') lastTurns.dismiss(turn, now)
  else lastTurns.restore(turn)
}

/**
 * The conversation of a subject, and the latest time to bring the item back, if there is one. Undefined if the subject
 * does not exist.
 */
function whereIs(kind: ItemKind, id: string, rows: InboxRows): { session: number; deadline?: number } | undefined {
  if (kind === 'question' || kind === 'expired') {
    const question = rows.question(id)
    if (question === undefined || kind === 'question') return question
    return { session: question.session }
  }
  const isTurn = kind === 'answer' || kind === 'failed' || kind === 'undelivered'
  const session = isTurn ? rows.sessionOfTurn(id) : rows.sessionOf(id)
  return session === undefined ? undefined : { session }
}

function wrong(what: string): IrisError {
  return new IrisError('invalid_input', `mark_inbox: ${what}`, 'Correct the arguments.')
}
