import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import { type Pair, pairText } from '../../base/protocol/pair.ts'
import { isWrittenForm } from '../../platform/config/account.ts'
import type { Ledger } from '../../platform/store/ledger.ts'
import type { FoundConversation, NewSession, Origin, SessionRow, SessionRows } from '../../platform/store/sessions.ts'
import { pairKey, Session } from './session.ts'

export interface SessionsParts {
  readonly rows: SessionRows
  readonly ledger: Ledger
  readonly clock: Clock
  readonly newId: () => string
  readonly publish: (event: IrisEvent) => void
}

interface Replacement extends Pick<Succession, 'why' | 'origin' | 'sessionId'> {
  readonly planned: boolean
}

interface Succession {
  readonly why: string
  /** A note for the next caller. Null if there is nothing to report. */
  readonly news: string | null
  readonly origin: Origin
  /** The id of the turn that stays in the old session and ends there. */
  readonly staying: string | undefined
  /** The id of the new session. By default, a fresh id. */
  readonly sessionId?: string | undefined
}

/**
 * All sessions of this daemon. A session is read from the store, created when a pair sends its first message, or
 * replaced when it is lost.
 */
export class Sessions {
  readonly #parts: SessionsParts
  readonly #open = new Map<string, Session>()

  constructor(parts: SessionsParts) {
    this.#parts = parts
  }

  /** The pair's live session. If there is none, restores the dormant one or creates one. */
  open(pair: Pair): Session {
    const known = this.known(pair)
    if (known && known.row.status !== 'archived') return known
    const { rows, clock, newId, publish } = this.#parts
    const live = rows.live(pair)
    const back = live ? undefined : rows.restoreArchived(pair)
    const row = live ?? back ?? rows.create(pair, fresh(newId()), clock.now())
    // Keeps the same Session object, because others refer to it.
    const session = known ?? new Session(row)
    session.moveTo(row)
    this.#open.set(pairKey(pair), session)
    if (back) publish({ type: 'session-restored', ...session.ids })
    else if (live === undefined) publish({ type: 'session-created', origin: session.row.origin, ...session.ids })
    return session
  }

  /**
   * Opens the pair's session for a message. If `accept` refuses the message, a session that was created for it is
   * removed again.
   */
  openFor<T>(pair: Pair, accept: (session: Session) => T): T {
    const isThere = this.openLive(pair) !== undefined
    const session = this.open(pair)
    try {
      return accept(session)
    } catch (error) {
      if (!isThere && session.row.origin === 'new' && !session.hasPast) this.#undoOpen(session)
      throw error
    }
  }

  #undoOpen(session: Session): void {
    try {
      this.#parts.rows.removeUnused(session.row.id)
    } catch {
      // The store accepts no changes, so the empty conversation stays. The caller gets the refusal of the message,
      // which says more than this error.
      return
    }
    this.#letGo(session, 'its first message was refused')
  }

  /** The pair's session, if this daemon has opened it. */
  known(pair: Pair): Session | undefined {
    return this.#open.get(pairKey(pair))
  }

  /** The pair's live session, which is opened if it was only in the store. Undefined if there is none. */
  openLive(pair: Pair): Session | undefined {
    const known = this.known(pair)
    if (known) return known.row.status === 'archived' ? undefined : known
    return this.#parts.rows.live(pair) ? this.open(pair) : undefined
  }

  /** Like `openLive`, but also restores a dormant session. */
  openOrRestore(pair: Pair): Session | undefined {
    return this.openLive(pair) ?? (this.#parts.rows.isDormant(pair) ? this.open(pair) : undefined)
  }

  /** The session of this row, if this daemon has opened it. */
  opened(row: SessionRow): Session | undefined {
    const known = this.#open.get(pairKey(row))
    return known?.row.id === row.id ? known : undefined
  }

  /**
   * The live session with this Claude Code id, which is opened if it was only in the store. Undefined if there is none.
   */
  openBySessionId(sessionId: string): Session | undefined {
    const row = this.bySessionId(sessionId)
    return row === undefined || row.status === 'archived' ? undefined : this.open(row)
  }

  /**
   * Creates a session derived from another one, for a pair and thread without a live session. `account`: the account
   * with which its history was made.
   */
  branchOff(pair: Pair, made: NewSession, account: string): Session {
    const { rows, ledger, clock, publish } = this.#parts
    const row = ledger.atomically(() => {
      const created = rows.create(pair, made, clock.now())
      rows.setAccount(created.id, account)
      return { ...created, account }
    })
    const session = new Session(row)
    this.#open.set(pairKey(pair), session)
    publish({ type: 'session-created', origin: session.row.origin, ...session.ids })
    return session
  }

  /** Opens the session with this row id, for turns that an earlier daemon left. */
  openRow(id: number): Session {
    return this.open(this.rowOf(id))
  }

  /** The row with this id, by which turns in the ledger refer to their session. Includes archived sessions. */
  rowOf(id: number): SessionRow {
    const row = this.#parts.rows.byId(id)
    if (row === undefined) throw new Error(`the store has no session ${id}`)
    return row
  }

  /** Finds a session by Claude Code's id. Includes archived sessions. */
  bySessionId(sessionId: string): SessionRow | undefined {
    return this.#parts.rows.bySessionId(sessionId)
  }

  /**
   * Makes an archived session its pair's live session again, and archives the session that replaced it, in which
   * nothing may run or wait.
   */
  bringBack(row: SessionRow): Session {
    const { rows, ledger, clock, publish } = this.#parts
    const session = this.open(row)
    if (session.row.id === row.id) return session
    const why = `conversation ${row.sessionId} was taken up again`
    ledger.atomically(() => {
      rows.archive(session.row.id, why, clock.now())
      rows.revive(row.id)
    })
    publish({ type: 'session-archived', why, planned: true, ...session.ids })
    session.moveTo({ ...row, status: 'active' })
    // To observers, the session that was brought back is the successor of the archived one.
    publish({ type: 'session-created', origin: session.row.origin, ...session.ids })
    return session
  }

  /** Sets the model with which the session's process is started from now on. Null stands for the default. */
  useModel(session: Session, model: string | null): void {
    if (session.row.model === model) return
    this.#parts.rows.setModel(session.row.id, model)
    session.moveTo({ ...session.row, model })
  }

  /**
   * Sets the account of the session's next process. Throws `account_unusable` if the conversation belonged to another
   * account: the conversation's content goes to another login only if the person wants that.
   */
  useAccount(session: Session, account: string, mayContinue: boolean): void {
    const { row, hasPast } = session
    if (row.account === account) return
    if (hasPast && !mayContinue && !isWrittenForm(row.account, account)) throw otherAccount(session, account)
    this.#parts.rows.setAccount(row.id, account)
    session.moveTo({ ...row, account })
  }

  /** Opens the sessions in which a team answers, most recently used first. */
  openOfTeam(team: string, limit: number): Session[] {
    return this.#parts.rows.ofTeam(team, limit).map((row) => this.open(row))
  }

  /** The number of a team's live sessions. */
  countOf(team: string): number {
    return this.#parts.rows.countOf(team)
  }

  /** Opens the sessions with the most turns since `since` (milliseconds since the epoch), busiest first. */
  openBusiest(since: number, limit: number): Session[] {
    const { rows, ledger } = this.#parts
    return rows.busiest(since, ledger.firstSince(since), limit).map((row) => this.open(row))
  }

  /** The sessions that this daemon has opened. All others are only in the store. */
  all(): Iterable<Session> {
    return this.#open.values()
  }

  /** Archives unused sessions as dormant, until their pairs' next message. */
  makeDormant(unused: readonly SessionRow[], why: string): void {
    const { rows, ledger, clock, publish } = this.#parts
    const dormant = ledger.atomically(() => unused.flatMap(({ id }) => rows.makeDormant(id, why, clock.now()) ?? []))
    for (const row of dormant) {
      this.known(row)?.moveTo(row)
      const { from, to, thread, sessionId } = row
      publish({ type: 'session-archived', why, planned: true, from, to, thread, sessionId })
    }
  }

  /**
   * Adds a conversation that was found on disk. It becomes the pair's live session, unless the pair has another. If
   * several conversations of a pair were found and nobody has used them since, the most recently used one becomes live.
   */
  adopt(found: FoundConversation, archivedWhy: string | null): void {
    const { rows, ledger, clock } = this.#parts
    ledger.atomically(() => {
      const live = rows.live(found)
      const foundIsNewer = live !== undefined && this.#isOnlyFound(live) && live.lastUsedAt < found.lastUsedAt
      if (foundIsNewer && archivedWhy === null) rows.archive(live.id, whyBeside, clock.now())
      rows.adopt(found, archivedWhy ?? (live === undefined || foundIsNewer ? null : whyBeside), clock.now())
    })
  }

  #isOnlyFound(row: SessionRow): boolean {
    return row.origin === 'adopted' && row.lastAnsweredDelivery === null && !this.#open.has(pairKey(row))
  }

  /**
   * Archives the session and continues it in a new one. The first turn in the queue reports the reason to its caller.
   * With the origin `new`, nothing is reported, because nothing was lost. `sessionId`: the id of a conversation that
   * Claude Code already has. Throws `session_ended`.
   */
  replace(session: Session, why: string, origin: Origin = 'reset', sessionId?: string): void {
    this.#replace(session, { why, origin, sessionId, planned: true })
  }

  /** Like `replace`, for a conversation that Claude Code has lost or could not begin (origin `new`). */
  lose(session: Session, why: string, origin: Origin = 'reset'): void {
    this.#replace(session, { why, origin, sessionId: undefined, planned: false })
  }

  #replace(session: Session, { why, origin, sessionId, planned }: Replacement): void {
    session.mustLive()
    const news = origin === 'new' ? null : why
    const row = this.#createSuccessor(session, { why, news, origin, staying: undefined, sessionId })
    const neverBegan = origin === 'new' ? { neverBegan: true as const } : {}
    this.#parts.publish({ type: 'session-archived', why, planned, ...neverBegan, ...session.ids })
    session.moveTo(row)
    this.#announce(session, planned && session.queue.length === 0 ? null : news)
  }

  /**
   * Gives the pair a new session on request. The running turn ends in the old session. `handOver` moves the waiting
   * turns to the new one, and the first of them reports the reason to its caller.
   */
  startOver(session: Session, why: string, handOver: (next: Session) => void): Session {
    const staying = session.running?.id
    const next = new Session(this.#createSuccessor(session, { why, news: why, origin: 'reset', staying }))
    handOver(next)
    this.#letGo(session, why)
    this.#open.set(pairKey(next), next)
    // If no turn is waiting, nobody needs the news, because the caller of this function knows that the conversation is
    // new.
    this.#announce(next, next.queue.length > 0 ? why : null)
    return next
  }

  /** Archives the pair's session. The next ask opens a new session. A running turn may still end in the old one. */
  end(session: Session, why: string): void {
    const { rows, clock } = this.#parts
    rows.archive(session.row.id, why, clock.now())
    this.#letGo(session, why)
  }

  /** Archives the session in the store, and creates the session that continues it. */
  #createSuccessor(
    session: Session,
    { why, news, origin, staying, sessionId = this.#parts.newId() }: Succession,
  ): SessionRow {
    const { rows, ledger, clock } = this.#parts
    const lost = session.row
    return ledger.atomically(() => {
      rows.archive(lost.id, why, clock.now())
      const from = { origin, originSession: lost.sessionId, originMessage: null }
      // A session that never began passes its own origin on to its successor.
      const made = { ...(origin === 'new' ? lost : from), sessionId }
      const created = rows.create(session, made, clock.now())
      ledger.moveTurns(lost.id, created.id, news, staying)
      if (lost.model !== null) rows.setModel(created.id, lost.model)
      rows.setAccount(created.id, lost.account)
      return { ...created, model: lost.model, account: lost.account }
    })
  }

  /** Forgets an archived session, because its pair now has a different session or none. */
  #letGo(session: Session, why: string): void {
    this.#open.delete(pairKey(session))
    session.moveTo({ ...session.row, status: 'archived' })
    this.#parts.publish({ type: 'session-archived', why, planned: true, ...session.ids })
  }

  /** Publishes a new session. `news`: the reason for it, which the session's next caller gets. */
  #announce(session: Session, news: string | null): void {
    if (news !== null) session.resetContext(news)
    this.#parts.publish({ type: 'session-created', origin: session.row.origin, ...session.ids })
  }
}

const whyBeside = 'found on disk beside the live conversation of the pair'

function fresh(sessionId: string): NewSession {
  return { sessionId, origin: 'new', originSession: null, originMessage: null }
}

function otherAccount(session: Session, account: string): IrisError {
  const name = (label: string): string => (label === '' ? 'your own account' : `the account ${label}`)
  return new IrisError(
    'account_unusable',
    `The conversation ${pairText(session)} belongs to ${name(session.row.account)}, but the team now uses ${name(account)}.`,
    'Begin a new one (iris reboot, or another thread), or set account.mayContinue: true for the team.',
  )
}
