import { createHash } from 'node:crypto'
import { type Clock, pause } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import type { Cancellation } from '../../base/protocol/turn.ts'
import { readDelivery, subagentsOf } from '../../claude/driver/transcript.ts'
import type { Launcher } from '../../kernel/pool/launch.ts'
import type { Session } from '../../kernel/session/session.ts'
import type { SharedConversations } from '../../kernel/session/shared-conversations.ts'
import type { Config } from '../../platform/config/config.ts'
import type { NewToolStart } from '../../platform/store/tool-starts.ts'
import { partsOf } from './host-names.ts'
import { Lead } from './lead.ts'
import type { LeadParts, LogPlace, OpenTurn } from './led-conversation.ts'
import type { EndLetter } from './letters.ts'
import type { LostRecords } from './lost-records.ts'
import type { Moved } from './moves.ts'

export interface SharedParts extends LeadParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly log: Log
  readonly moved: Moved
  readonly launcher: Pick<Launcher, 'transcriptOf'>
  /** The conversation of a turn; undefined if the conversation was ended. */
  readonly sessionOf: (turnId: string) => Session | undefined
  /** The ledger's turns of this conversation that were delivered and have not ended. */
  readonly openTurns: (session: Session) => readonly OpenTurn[]
  /** Conversations in which a turn runs. */
  readonly running: () => Iterable<Session>
  /** Called when the log has a new record about this turn. */
  readonly began: (turn: string) => void
  readonly lostRecords: LostRecords['add']
  /** Ends a turn with everything it caused, and the process of its conversation. */
  readonly giveUp: (session: Session, turnId: string | undefined, why: Cancellation) => Promise<void>
}

/** How long a tool waits for the log. */
const toolWaitMs = 60_000
/** Claude Code writes an answer to its transcript a moment after giving the answer. */
const writtenWithinMs = 10_000
const lookAgainMs = 100

/** This host's part in conversations that several hosts may lead. */
export class Shared implements SharedConversations {
  readonly #parts: SharedParts
  readonly #leads = new Map<string, Lead>()
  readonly #shipping = new WeakMap<Lead, Promise<void>>()
  /** Conversations that this host lost to another one, and for which this is recorded. */
  readonly #lost = new Set<string>()
  readonly #ending = new AbortController()

  constructor(parts: SharedParts) {
    this.#parts = parts
  }

  /**
   * Whether the conversation is shared. Asks from this host itself are not shared: if this host dies, nobody waits for
   * them.
   */
  concerns({ from, to }: Pair): boolean {
    const { teams, cluster } = this.#parts.config()
    const isFromElsewhere = partsOf(from) !== undefined && !teams.has(from)
    return isFromElsewhere && cluster !== undefined && teams.get(to)?.hosts?.includes(cluster.name) === true
  }

  leadOf(pair: Pair): Lead {
    const key = conversationOf(pair)
    const { began, lostRecords } = this.#parts
    const listener = { began, lost: (was: number, is: number) => lostRecords(pair, was, is) }
    const lead = this.#leads.get(key) ?? new Lead(this.#parts, listener, pair.to, key)
    this.#leads.set(key, lead)
    return lead
  }

  /** The place of the last record about this turn in the log of its conversation. */
  placeOf(turn: string): LogPlace | undefined {
    const session = this.#parts.sessionOf(turn)
    return session && this.concerns(session) ? this.leadOf(session).placeOf(turn) : undefined
  }

  /** Called after a reconnection, because the servers may have lost records of running turns. */
  reconnected(): void {
    const { running, log } = this.#parts
    for (const session of running())
      if (this.concerns(session))
        this.#add(session, { kind: 'checks' }).catch((error: unknown) =>
          log.debug(`the log of ${session.from} to ${session.to} could not be checked: ${String(error)}`),
        )
  }

  async delivers(session: Session, turn: string, uuid: string, why: 'first' | 'again' | 'continue'): Promise<boolean> {
    // Without this, a host that takes over now would lack the last answer.
    await this.#shipping.get(this.leadOf(session))
    const cancelled = session.running?.cancelled
    const signal = cancelled ? AbortSignal.any([cancelled, this.#ending.signal]) : this.#ending.signal
    return this.#add(session, { kind: 'delivers', turn, uuid, why }, signal)
  }

  async starts(session: Session, start: NewToolStart | undefined): Promise<boolean> {
    const late = new AbortController()
    const cancelTimer = this.#parts.clock.machine.after(toolWaitMs, () =>
      late.abort(new Error('no connection to the other hosts')),
    )
    const signal = AbortSignal.any([late.signal, this.#ending.signal])
    try {
      if (start === undefined) return await this.#add(session, { kind: 'checks' }, signal)
      const { turn, ...tool } = start
      return await this.#add(session, { kind: 'starts', turn, tool }, signal)
    } finally {
      cancelTimer()
    }
  }

  /**
   * Tells the other hosts how the turn ended. Returns false if another host leads; the end that it reports then counts.
   */
  async ends(turn: string, end: EndLetter): Promise<boolean> {
    const session = this.#parts.sessionOf(turn)
    if (session === undefined || !this.concerns(session)) return true
    const isOurs = await this.#add(session, { kind: 'ends', turn, end })
    if (isOurs) this.#shipping.set(this.leadOf(session), this.#shipAnswer(session))
    return isOurs
  }

  /** Leaves everything that waits for the log to the next start. */
  end(): void {
    this.#ending.abort(new Error('Iris stops'))
  }

  async #shipAnswer(session: Session): Promise<void> {
    const { clock, launcher, log } = this.#parts
    const { lastAnsweredDelivery: uuid } = session.row
    const late = clock.machine.elapsed() + writtenWithinMs
    try {
      for (let isWritten = uuid === null; !isWritten && clock.machine.elapsed() < late; ) {
        const file = await launcher.transcriptOf(session)
        isWritten = file !== undefined && (await readDelivery(file, { uuid: uuid! })).kind === 'answered'
        if (!isWritten) await pause(clock.machine, lookAgainMs, this.#ending.signal)
      }
      await this.#add(session, { kind: 'checks' })
    } catch (error) {
      log.debug(`the other hosts do not have the last answer of ${session.from} to ${session.to}: ${String(error)}`)
    }
  }

  async #add(session: Session, entry: Parameters<Lead['add']>[0], signal?: AbortSignal): Promise<boolean> {
    const { launcher, openTurns } = this.#parts
    const lead = this.leadOf(session)
    const { sessionId } = session
    const file = () => launcher.transcriptOf({ to: session.to, sessionId })
    const of = { session: sessionId, file, subagents: subagentsOf, open: () => openTurns(session) }
    if (await lead.add(entry, of, signal)) return true
    const host = lead.known?.host ?? ''
    if (!this.#lost.has(sessionId)) this.#parts.moved('lost', session, this.#parts.self(), host)
    this.#lost.add(sessionId)
    const detail = `${host} has taken the conversation over, because this host could not be reached. It continues there.`
    await this.#parts.giveUp(session, session.running?.id, { reason: 'cancelled', detail })
    return false
  }
}

/** The key of a conversation's log. It is the same on all hosts, because the asker's name includes its host. */
function conversationOf({ from, to, thread }: Pair): string {
  return createHash('sha256').update([from, to, thread].join('\0')).digest('hex').slice(0, 32)
}
