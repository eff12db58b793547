import { type Clock, pause } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { liveMessage, liveNotice } from '../../claude/driver/inbox-texts.ts'
import type { OtherHosts, RemoteEnd } from '../../kernel/session/other-hosts.ts'
import type { Ask } from '../../kernel/turn/ask.ts'
import { ended, recovered, type Verdict } from '../../kernel/turn/verdict.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Push } from '../late/late-answers.ts'
import type { LiveAskRow, LiveAskRows } from './rows.ts'

export interface LiveAsksParts {
  readonly rows: LiveAskRows
  readonly clock: Clock
  readonly config: () => Config
}

interface Bridge {
  readonly team: string
  readonly wake: () => void
  readonly lastAt: number
  readonly isWaiting: boolean
}

interface Promoted extends Push {
  readonly team: string
  readonly taken: (console: string) => void
}

/** The bridge of an open session asks again and again; between two of its calls the session counts as open. */
const betweenCallsMs = 10_000
const maxBytes = 16 * 1024

/**
 * Messages for the open sessions of people. The bridge of such a session fetches them, and its agent answers with
 * `inReplyTo`. The team's setting `live` decides which messages may come in: with `ask`, the session sees a message's
 * words only after the person has let them in.
 */
export class LiveAsks implements Pick<OtherHosts, 'carry'> {
  readonly #parts: LiveAsksParts
  /** Bridges of open sessions: their team, and what wakes them. */
  readonly #bridges = new Map<string, Bridge>()
  readonly #answered = new Map<string, () => void>()
  readonly #promoted = new Set<Promoted>()
  readonly #closing = new AbortController()

  constructor(parts: LiveAsksParts) {
    this.#parts = parts
  }

  /** Throws as `mustTake` does, and `not_found` if no session of the team is open. */
  refuse(ask: Ask): void {
    this.mustTake(ask)
    if (!this.#isOpen(ask.pair.to)) throw notOpen(ask.pair.to, without)
  }

  /**
   * Throws `not_allowed`, `invalid_input` and `message_too_long` for a message that no open session of the team
   * accepts.
   */
  mustTake({ pair: { to }, message, attachments, responseSchema }: Ask): void {
    const { live = 'no' } = this.#parts.config().teams.get(to) ?? {}
    if (live === 'no')
      throw new IrisError(
        'not_allowed',
        `The team ${to} does not accept messages in its open sessions.`,
        `${without} ${ownerMay}`,
      )
    if (attachments !== undefined || responseSchema !== undefined)
      throw new IrisError('invalid_input', 'A message for an open session cannot have files or a schema.', without)
    if (Buffer.byteLength(message) > maxBytes)
      throw new IrisError(
        'message_too_long',
        'The message is too long for an open session; the limit is 16 KiB.',
        without,
      )
  }

  /** Resolves when there is something for this session, or the signal aborts. */
  async ready(console: string, team: string, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts
    this.#forgetLeft()
    let own: Bridge | undefined
    while (!signal.aborted && !this.#has(team)) {
      const { promise, resolve } = Promise.withResolvers<void>()
      own = { team, wake: resolve, lastAt: clock.elapsed(), isWaiting: true }
      this.#bridges.set(console, own)
      signal.addEventListener('abort', () => resolve(), { once: true })
      await promise
      // The session has called again before the end of this call was noticed.
      if (this.#bridges.get(console) !== own) return
    }
    this.#bridges.set(console, { team, wake: () => {}, lastAt: clock.elapsed(), isWaiting: false })
  }

  /**
   * The texts for this session now. Each is committed as handed over before it is returned, so it is returned at most
   * once.
   */
  take(console: string, team: string): readonly Push[] {
    const { rows } = this.#parts
    const promoted = [...this.#promoted].filter((each) => each.team === team)
    for (const each of promoted) {
      each.taken(console)
      this.#promoted.delete(each)
    }
    const texts = rows.openFor(team).flatMap((row) => this.#textOf(row, console) ?? [])
    return [...promoted.map(({ turnId, text }) => ({ turnId, text })), ...texts]
  }

  /** The answer of a session of `team`. Throws `unknown_turn`. */
  answer(turnId: string, team: string | undefined, text: string): LiveAskRow {
    const { rows } = this.#parts
    const row = rows.of(turnId)
    const isTheirs = row !== undefined && row.to === team && row.pushedAt !== null
    if (!isTheirs || !this.#answered.has(turnId) || !rows.answer(turnId, text))
      throw new IrisError(
        'unknown_turn',
        `No message ${turnId} is waiting for your answer.`,
        'It may already have ended.',
      )
    this.#answered.get(turnId)?.()
    return row
  }

  /** The message for an open session, and until when Iris waits for its answer, milliseconds since the epoch. */
  of(turnId: string): (LiveAskRow & { readonly until: number; readonly isWaiting: boolean }) | undefined {
    const row = this.#parts.rows.of(turnId)
    // The message is waiting for the person's yes.
    return row && { ...row, until: this.#untilOf(row), isWaiting: row.letInAt === null && this.#answered.has(turnId) }
  }

  /** The messages for the open sessions of a team that wait for the person's yes. */
  waitingFor(team: string): readonly LiveAskRow[] {
    return this.#parts.rows.openFor(team).filter(({ letInAt, turn }) => letInAt === null && this.#answered.has(turn))
  }

  /** The person lets the words in. Returns false if the turn is not a message that waits for that. */
  letIn(turnId: string): boolean {
    const { rows, clock } = this.#parts
    const row = rows.of(turnId)
    if (row === undefined || !this.#answered.has(turnId)) return false
    rows.letIn(turnId, clock.now())
    this.#wake(row.to)
    return true
  }

  /**
   * Delivers a text to an open session of the team. Calls `toConsole` before that session gets it. Throws `not_found`
   * if none accepts it.
   */
  async promote(team: string, push: Push, toConsole: (console: string) => void): Promise<void> {
    if (!this.#isOpen(team)) throw notOpen(team, 'Open one in its project first.')
    const { promise, resolve } = Promise.withResolvers<void>()
    const taken = (console: string): void => {
      toConsole(console)
      resolve()
    }
    const promoted = { ...push, team, taken }
    this.#promoted.add(promoted)
    this.#wake(team)
    await Promise.race([promise, pause(this.#parts.clock, betweenCallsMs, this.#closing.signal)])
    if (this.#promoted.delete(promoted)) throw notOpen(team, 'Open one in its project first.')
  }

  /** Waits for the answer of an open session until `permissionTimeout`, as a question to the person does. */
  async carry(
    { id, facts, cancelled }: Parameters<OtherHosts['carry']>[0],
    { took }: Parameters<OtherHosts['carry']>[1],
  ): Promise<RemoteEnd | undefined> {
    const { rows, clock, config } = this.#parts
    const { to } = facts.pair
    rows.add(id, config().teams.get(to)?.live === 'yes' ? clock.now() : null)
    const { offeredAt = clock.now() } = rows.of(id) ?? {}
    const leftMs = offeredAt + config().settings.permissionTimeout - clock.now()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#answered.set(id, resolve)
    this.#wake(to)
    const over = new AbortController()
    const signals = AbortSignal.any([cancelled, over.signal, this.#closing.signal])
    if (rows.of(id)?.answer === null && leftMs > 0) await Promise.race([promise, pause(clock, leftMs, signals)])
    over.abort()
    this.#answered.delete(id)
    const { pushedAt, answer } = rows.of(id) ?? { pushedAt: null, answer: null }
    if (pushedAt !== null) took()
    if (answer !== null) return whole(recovered(answer))
    if (cancelled.aborted || this.#closing.signal.aborted) return undefined
    return whole(ended('timed_out', 'unanswered', unanswered(pushedAt, id), ''))
  }

  /** Ends all waits; the next start continues them. */
  close(): void {
    this.#closing.abort()
  }

  #textOf(row: LiveAskRow, console: string): Push | undefined {
    const { rows, clock } = this.#parts
    const until = this.#untilOf(row)
    const { turn: turnId } = row
    if (row.letInAt === null)
      return rows.noticed(turnId, clock.now()) ? { turnId, text: liveNotice({ ...row, turnId }) } : undefined
    return rows.pushed(turnId, console, clock.now())
      ? { turnId, text: liveMessage({ ...row, turnId, until }) }
      : undefined
  }

  #untilOf({ offeredAt }: LiveAskRow): number {
    return offeredAt + this.#parts.config().settings.permissionTimeout
  }

  #has(team: string): boolean {
    if ([...this.#promoted].some((each) => each.team === team)) return true
    return this.#parts.rows.openFor(team).some(({ letInAt, noticedAt }) => letInAt !== null || noticedAt === null)
  }

  #isOpen(team: string): boolean {
    return [...this.#bridges.values()].some((bridge) => bridge.team === team && this.#isThere(bridge))
  }

  #isThere({ isWaiting, lastAt }: Bridge): boolean {
    return isWaiting || this.#parts.clock.elapsed() - lastAt < betweenCallsMs
  }

  #forgetLeft(): void {
    for (const [console, bridge] of this.#bridges) if (!this.#isThere(bridge)) this.#bridges.delete(console)
  }

  #wake(team: string): void {
    for (const bridge of this.#bridges.values()) if (bridge.team === team) bridge.wake()
  }
}

const without = 'Leave deliver out: then the conversation of the pair answers.'
const ownerMay = 'The person may set live: ask or live: yes for that team.'

function notOpen(team: string, remedy: string): IrisError {
  return new IrisError('not_found', `No session of ${team} is open in a terminal in its project.`, remedy)
}

function unanswered(pushedAt: number | null, id: string): string {
  const where = pushedAt === null ? 'No person let it in' : 'The open session did not answer it'
  return `${where} in time. "iris retry ${id.slice(0, 8)}" gives it to the conversation of the pair.`
}

function whole(verdict: Verdict): RemoteEnd {
  return { ...verdict, value: null, contextReset: null }
}
