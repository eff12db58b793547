import type { Clock } from '../../base/lib/clock.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import type { Pair } from '../../base/protocol/party.ts'
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
  /** To the caller of the oldest turn that moves. */
  readonly told: string | null
  readonly origin: Origin
  /** The turn that ends where it is. */
  readonly staying: string | undefined
  /** Of the new one; default: one that nobody has had. */
  readonly sessionId?: string | undefined
}

/** All sessions of this daemon: found in the store, opened when a pair first speaks, replaced when one is lost. */
export class Sessions {
  readonly #parts: SessionsParts
  readonly #open = new Map<string, Session>()

  constructor(parts: SessionsParts) {
    this.#parts = parts
  }

  /** The pair's live session; takes back the one that was put away, or makes one, when there is none. */
  open(pair: Pair): Session {
    const known = this.known(pair)
    if (known && known.row.status !== 'archived') return known
    const { rows, clock, newId, publish } = this.#parts
    const live = rows.live(pair)
    const back = live ? undefined : rows.restoreArchived(pair)
    const row = live ?? back ?? rows.create(pair, fresh(newId()), clock.now())
    // The same object as before: what knows the session by it must not take it for another one.
    const session = known ?? new Session(row)
    session.moveTo(row)
    this.#open.set(pairKey(pair), session)
    if (back) publish({ type: 'session-restored', ...session.ids })
    else if (live === undefined) publish({ type: 'session-created', origin: session.row.origin, ...session.ids })
    return session
  }

  /** The pair's session, if this daemon has had to do with it. */
  known(pair: Pair): Session | undefined {
    return this.#open.get(pairKey(pair))
  }

  /** The pair's live session, if they ever spoke. */
  find(pair: Pair): Session | undefined {
    const known = this.known(pair)
    if (known) return known.row.status === 'archived' ? undefined : known
    return this.#parts.rows.live(pair) ? this.open(pair) : undefined
  }

  /** The same, also of one that was put away: that is taken back. */
  findOrRestore(pair: Pair): Session | undefined {
    return this.find(pair) ?? (this.#parts.rows.isPutAway(pair) ? this.open(pair) : undefined)
  }

  /** The living session of a row, if anything has to do with it since the start. */
  opened(row: SessionRow): Session | undefined {
    const known = this.#open.get(pairKey(row))
    return known?.row.id === row.id ? known : undefined
  }

  /** The live session that is this conversation of Claude Code's. */
  liveOf(sessionId: string): Session | undefined {
    const row = this.bySessionId(sessionId)
    return row === undefined || row.status === 'archived' ? undefined : this.open(row)
  }

  /** A conversation that comes out of another one, for a pair and thread that have none. */
  branchOff(pair: Pair, made: NewSession): Session {
    const { rows, clock, publish } = this.#parts
    const session = new Session(rows.create(pair, made, clock.now()))
    this.#open.set(pairKey(pair), session)
    publish({ type: 'session-created', origin: session.row.origin, ...session.ids })
    return session
  }

  /** The session of a ledger row, for turns that outlived the daemon. */
  ofRow(id: number): Session {
    return this.open(this.rowOf(id))
  }

  /** What a turn's row in the ledger refers to, archived sessions included. */
  rowOf(id: number): SessionRow {
    const row = this.#parts.rows.byId(id)
    if (row === undefined) throw new Error(`the store has no session ${id}`)
    return row
  }

  /** By Claude Code's own id, archived ones included. */
  bySessionId(sessionId: string): SessionRow | undefined {
    return this.#parts.rows.bySessionId(sessionId)
  }

  /**
   * An archived conversation is the one of its pair again; the one that stood in its place is archived. Nothing may run
   * or wait in that.
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
    publish({ type: 'session-created', origin: session.row.origin, ...session.ids })
    return session
  }

  /** Its process is started with this model from now on; null: the one it would have anyway. */
  useModel(session: Session, model: string | null): void {
    if (session.row.model === model) return
    this.#parts.rows.setModel(session.row.id, model)
    session.moveTo({ ...session.row, model })
  }

  /** The sessions in which a team answers, the last used first. */
  ofTeam(team: string, limit: number): Session[] {
    return this.#parts.rows.ofTeam(team, limit).map((row) => this.open(row))
  }

  /** Those with the most turns since `since`, milliseconds since the epoch; the busiest first. */
  busiest(since: number, limit: number): Session[] {
    const { rows, ledger } = this.#parts
    return rows.busiest(since, ledger.firstSince(since), limit).map((row) => this.open(row))
  }

  /** The open ones; sessions that have not spoken since the start are only in the store. */
  all(): Iterable<Session> {
    return this.#open.values()
  }

  /** Archived until the next message of its pair: nobody used it. */
  putAway(unused: readonly SessionRow[], why: string): void {
    const { rows, ledger, clock, publish } = this.#parts
    const away = ledger.atomically(() => unused.flatMap(({ id }) => rows.putAway(id, why, clock.now()) ?? []))
    for (const row of away) {
      this.known(row)?.moveTo(row)
      const { from, to, thread, sessionId } = row
      publish({ type: 'session-archived', why, planned: true, from, to, thread, sessionId })
    }
  }

  /**
   * Takes in a conversation that was found on disk. It is the pair's live one, unless they have another: of several that
   * were found, and in none of which anybody has spoken since, the last used one lives.
   */
  adopt(found: FoundConversation, archivedWhy: string | null): void {
    const { rows, ledger, clock } = this.#parts
    ledger.atomically(() => {
      const live = rows.live(found)
      const gives = live !== undefined && this.#isOnlyFound(live) && live.lastUsedAt < found.lastUsedAt
      if (gives && archivedWhy === null) rows.archive(live.id, laterOne, clock.now())
      rows.adopt(found, archivedWhy ?? (live === undefined || gives ? null : laterOne), clock.now())
    })
  }

  #isOnlyFound(row: SessionRow): boolean {
    return row.origin === 'adopted' && row.lastAnsweredDelivery === null && !this.#open.has(pairKey(row))
  }

  /**
   * Its conversation ends: archived, announced, and continued in a new one. The oldest waiting turn, the one about to be
   * answered, carries the reason to its caller; with the origin `new` nothing was lost, so that there is nothing to tell.
   * `sessionId`: of a conversation that Claude Code has already.
   */
  replace(session: Session, why: string, origin: Origin = 'reset', sessionId?: string): void {
    this.#replace(session, { why, origin, sessionId, planned: true })
  }

  /** The same, because Claude Code has lost its conversation, or could not begin it (origin `new`). */
  lose(session: Session, why: string, origin: Origin = 'reset'): void {
    this.#replace(session, { why, origin, sessionId: undefined, planned: false })
  }

  #replace(session: Session, { why, origin, sessionId, planned }: Replacement): void {
    session.mustLive()
    const told = origin === 'new' ? null : why
    const row = this.#succeed(session, { why, told, origin, staying: undefined, sessionId })
    this.#parts.publish({ type: 'session-archived', why, planned, ...session.ids })
    session.moveTo(row)
    this.#begin(session, told)
  }

  /**
   * The pair begins anew on request: what runs ends in the conversation it belongs to, what waits moves to a new one by
   * `handOver`, and the first of that carries the reason to its caller.
   */
  startAfresh(session: Session, why: string, handOver: (next: Session) => void): Session {
    const staying = session.running?.id
    const next = new Session(this.#succeed(session, { why, told: why, origin: 'reset', staying }))
    handOver(next)
    this.#leave(session, why)
    this.#open.set(pairKey(next), next)
    this.#begin(next, why)
    return next
  }

  /** The pair's conversation ends; the next ask opens another one. What runs in it may still end. */
  end(session: Session, why: string): void {
    const { rows, clock } = this.#parts
    rows.archive(session.row.id, why, clock.now())
    this.#leave(session, why)
  }

  #succeed(session: Session, { why, told, origin, staying, sessionId = this.#parts.newId() }: Succession): SessionRow {
    const { rows, ledger, clock } = this.#parts
    const lost = session.row
    return ledger.atomically(() => {
      rows.archive(lost.id, why, clock.now())
      const from = { origin, originSession: lost.sessionId, originMessage: null }
      // One that never came to be leaves to the next what it was to come out of.
      const made = { ...(origin === 'new' ? lost : from), sessionId }
      const created = rows.create(session, made, clock.now())
      ledger.moveTurns(lost.id, created.id, told, staying)
      if (lost.model !== null) rows.setModel(created.id, lost.model)
      return { ...created, model: lost.model }
    })
  }

  #leave(session: Session, why: string): void {
    this.#open.delete(pairKey(session))
    session.moveTo({ ...session.row, status: 'archived' })
    this.#parts.publish({ type: 'session-archived', why, planned: true, ...session.ids })
  }

  #begin(session: Session, told: string | null): void {
    if (told !== null) session.resetContext(told)
    this.#parts.publish({ type: 'session-created', origin: session.row.origin, ...session.ids })
  }
}

const laterOne = 'found on disk beside the live conversation of the pair'

function fresh(sessionId: string): NewSession {
  return { sessionId, origin: 'new', originSession: null, originMessage: null }
}
