import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { TurnStatus, Turns } from '../../kernel/accept/turn-handle.ts'
import type { RemoteWait } from '../../kernel/session/other-hosts.ts'
import type { Sessions } from '../../kernel/session/sessions.ts'
import type { Ask } from '../../kernel/turn/ask.ts'
import { shorterEnds, wholeEnd } from './end-texts.ts'
import { Latest } from './latest.ts'
import type { Claim } from './lead-claim.ts'
import type { LogPlace } from './led-conversation.ts'
import { CancelLetter, type EndLetter, type KnownOfTurn, readLetter, refusedEnd } from './letters.ts'
import { liveLines } from './live-lines.ts'
import type { Letter } from './ports.ts'
import { type ReadAskParts, readAsk, refused } from './read-ask.ts'
import type { ClusterAskRow, ClusterRows } from './rows/cluster.ts'
import type { Traces } from './traces.ts'

export interface IncomingParts extends ReadAskParts {
  readonly clock: Clock
  readonly rows: ClusterRows
  readonly turns: Pick<Turns, 'ask' | 'handle'>
  readonly sessions: Pick<Sessions, 'openLive'>
  readonly isDrained: () => boolean
  readonly send: (to: string, letter: Letter, id: string) => Promise<void>
  readonly tell: (to: string, text: string) => void
  /** Undefined if no other host shares this team's conversations. */
  readonly claim: <T>(
    ask: Ask,
    turn: string,
    known: KnownOfTurn | undefined,
    then: (claim: Claim) => Promise<T>,
  ) => Promise<T> | undefined
  /**
   * Tells the hosts that share a turn's conversation how the turn ended. Returns false if another host leads the
   * conversation.
   */
  readonly ends: (turn: string, end: EndLetter) => Promise<boolean>
  /** The place in the log of the last record about a turn in a shared conversation. */
  readonly placeOf: (turn: string) => LogPlace | undefined
  readonly awaits: (turn: string) => Promise<RemoteWait>
  readonly newId: () => string
  readonly traces: Pick<Traces, 'note'>
  readonly onTrouble: (what: string, turn: string) => void
}

const ours: Claim = { kind: 'ours', earlierWork: undefined }
/** Temporary errors: the letter is delivered again. */
const mayPass = new Set(['store_unavailable', 'shutting_down'])

/**
 * The answering side: asks from other hosts. Each ask is stored in the same commit as its turn, so a repeated ask finds
 * its row.
 */
export class Incoming {
  readonly #parts: IncomingParts
  readonly #followed = new Map<string, Promise<void>>()
  /** The last reason for waiting that was sent to the asker, as JSON, by turn. */
  readonly #awaited = new Map<string, string>()

  readonly #begun = new Latest()

  constructor(parts: IncomingParts) {
    this.#parts = parts
  }

  /** Sends the ends that askers do not have yet, and follows the turns that are still running. */
  resume(): void {
    for (const row of this.#parts.rows.unanswered()) void this.#follow(row)
  }

  /** Resolves when the ask is committed or refused for good. Rejects if the ask must be delivered again. */
  async ask(host: string, { turn, text }: Letter): Promise<void> {
    const { rows } = this.#parts
    try {
      const written: unknown = JSON.parse(text)
      const { ask, known, traceparent } = readAsk(host, turn, written, this.#parts)
      const done = this.#parts.claim(ask, turn, known, (claim) => this.#accept(host, turn, ask, claim))
      if (await (done ?? this.#accept(host, turn, ask, ours))) return
      if (traceparent !== undefined) this.#parts.traces.note(turn, traceparent)
    } catch (error) {
      if (error instanceof IrisError ? mayPass.has(error.code) : !(error instanceof SyntaxError)) throw error
      return this.#ended(host, turn, refusal(error))
    }
    const row = rows.ask(turn)!
    void this.#follow(row)
    await this.#took(row)
  }

  /** If the ask arrives after its cancel, it is refused. */
  async cancel(host: string, { turn, text }: Letter): Promise<void> {
    const { rows, turns } = this.#parts
    const row = rows.ask(turn)
    if (row === undefined) {
      const { detail = 'The asker has cancelled the message.' } = readLetter(CancelLetter, text) ?? {}
      return this.#ended(host, turn, refusedEnd('cancelled', 'cancelled', detail))
    }
    if (row.host !== host) return
    if (row.refusal === null) await turns.handle(turn).cancel()
    void this.#confirm(row)
  }

  /**
   * Called when questions for people were asked or answered, or limits began or ended. Sends the changes to the askers.
   */
  async waitsChanged(): Promise<void> {
    for (const turn of this.#followed.keys()) {
      try {
        const row = this.#parts.rows.ask(turn)
        const awaited = JSON.stringify(await this.#parts.awaits(turn))
        if (row?.refusal === null && awaited !== (this.#awaited.get(turn) ?? '{}')) await this.#took(row)
      } catch (error) {
        this.#parts.onTrouble(String(error), turn)
      }
    }
  }

  /** Resolves to true if the asker has been sent a reply, or to false if the turn was accepted. */
  async #accept(host: string, turn: string, ask: Ask, claim: Claim): Promise<boolean> {
    const known = this.#parts.rows.ask(turn)
    if (claim.kind === 'moved') await this.#say('moved', host, turn, { to: claim.to })
    else if (claim.kind === 'lacks') await this.#say('lacks', host, turn, { why: claim.why })
    else if (known) await this.#sayAgain(host, known)
    else if (claim.kind === 'over') await this.#ended(host, turn, claim.end)
    else {
      this.#notDrained(ask)
      const handle = await this.#parts.turns.ask({ ...ask, earlierWork: claim.earlierWork })
      await handle.durable()
      // A rebuilt store knows the turn from its conversation, but does not know who asked.
      const chain = ask.origin?.chain ?? []
      if (this.#parts.rows.ask(turn) === undefined) this.#parts.rows.addAsk({ turn, host, chain, refusal: null })
      return false
    }
    return true
  }

  #notDrained({ pair, role }: Ask): void {
    const { isDrained, sessions, config, self } = this.#parts
    const isShared = config().teams.get(pair.to)?.hosts !== undefined
    if (!isDrained() || isShared || role !== undefined || sessions.openLive(pair)) return
    throw refused(`${self()} is being drained: it takes no new conversations.`)
  }

  /** Records how a turn that is not running here ended, and sends the end to the asker. */
  #ended(host: string, turn: string, end: EndLetter): Promise<void> {
    const { rows } = this.#parts
    if (rows.ask(turn) === undefined) rows.addAsk({ turn, host, chain: [], refusal: JSON.stringify(end) })
    return this.#follow(rows.ask(turn)!)
  }

  async #say(kind: 'moved' | 'lacks', host: string, turn: string, what: object): Promise<void> {
    await this.#parts.send(host, { turn, kind, text: JSON.stringify(what) }, `${turn}:${kind}${this.#again}`)
  }

  async #sayAgain(host: string, row: ClusterAskRow): Promise<void> {
    // Only the host that asked may learn about the turn.
    if (row.host !== host) return
    const end = await this.#endOf(row)
    if (end === undefined) return this.#took(row)
    await this.#sendEnd(row, end, this.#again)
  }

  /** Called when the turn has made progress. Reports to the asking host what the log contains about the turn. */
  began(turn: string): void {
    this.#begun.say(turn, async () => {
      try {
        const row = this.#parts.rows.ask(turn)
        if (row?.refusal === null && !row.answered) await this.#took(row)
      } catch (error) {
        // The asker will ask again.
        this.#parts.onTrouble(String(error), turn)
      }
    })
  }

  async #took({ host, turn }: ClusterAskRow): Promise<void> {
    const { send, awaits, placeOf, newId } = this.#parts
    const awaited = await awaits(turn)
    if (this.#followed.has(turn)) this.#awaited.set(turn, JSON.stringify(awaited))
    const begun = placeOf(turn)
    const text = JSON.stringify({ ...awaited, ...(begun && { begun }) })
    await send(host, { turn, kind: 'taken', text }, `${turn}:taken:${newId()}`)
  }

  /** The asker repeats a cancel until it learns how the turn ended here, even if another host leads by now. */
  async #confirm(row: ClusterAskRow): Promise<void> {
    const { turn } = row
    await this.#follow(row)
    try {
      const end = await this.#endOf(row)
      if (end !== undefined && this.#parts.rows.ask(turn)?.answered) await this.#sendEnd(row, end, this.#again, true)
    } catch (error) {
      this.#parts.onTrouble(String(error), turn)
    }
  }

  /** Gives a repeated letter a different id. */
  get #again(): string {
    return `:${this.#parts.newId()}`
  }

  /** Sends the turn's lines as they arrive, and then its end. */
  #follow(row: ClusterAskRow): Promise<void> {
    const { turn } = row
    const known = this.#followed.get(turn)
    if (known) return known
    const done = this.#toItsEnd(row).finally(() => {
      this.#followed.delete(turn)
      this.#awaited.delete(turn)
    })
    this.#followed.set(turn, done)
    return done
  }

  async #toItsEnd(row: ClusterAskRow): Promise<void> {
    const { turn } = row
    try {
      const { clock, tell } = this.#parts
      const lines = liveLines(turn, (text) => tell(row.host, text), clock)
      if (row.refusal === null) await this.#parts.turns.handle(turn).wait({ hear: (line) => lines.hear(line) })
      lines.end()
      const end = await this.#endOf(row)
      if (end !== undefined) await this.#sendEnd(row, end, '')
    } catch (error) {
      // The asker will ask again, and the next connection resumes unanswered asks.
      this.#parts.onTrouble(String(error), turn)
    }
  }

  /** `isKnown`: the hosts that share the conversation already know the end. */
  async #sendEnd(row: ClusterAskRow, end: EndLetter, again: string, isKnown = row.refusal !== null): Promise<void> {
    const shorter = shorterEnds(end, this.#parts.self())
    for (let next = end; ; ) {
      try {
        await this.#settle(row, next, again, isKnown)
        break
      } catch (error) {
        if (next.reason === 'refused' || !(error instanceof IrisError && error.code === 'message_too_long')) throw error
        const detail = `It was answered, but the answer is too long for the servers between the hosts. ${error.message}`
        next = shorter.next().value ?? refusedEnd('failed', 'refused', detail)
      }
    }
    this.#parts.rows.answered(row.turn)
  }

  /** Throws `message_too_long`. */
  async #settle({ host, turn }: ClusterAskRow, end: EndLetter, again: string, isKnown: boolean): Promise<void> {
    const { send, ends } = this.#parts
    if (isKnown || (await ends(turn, end)))
      await send(host, { turn, kind: 'settled', text: JSON.stringify(end) }, `${turn}:settled${again}`)
  }

  /** Undefined if the turn has not ended. */
  async #endOf({ turn, refusal }: ClusterAskRow): Promise<EndLetter | undefined> {
    if (refusal !== null) return JSON.parse(refusal)
    const handle = this.#parts.turns.handle(turn)
    const status = await handle.status()
    const end = status && endOf(status)
    return end && wholeEnd(end, handle, this.#parts.self())
  }
}

function refusal(error: unknown): EndLetter {
  const said = error instanceof IrisError ? `${error.message} ${error.remedy}`.trim() : 'The message cannot be read.'
  return refusedEnd('failed', 'refused', said)
}

function endOf(status: TurnStatus): EndLetter | undefined {
  const { outcome, reason, detail, answer, value, partial, usage, background } =
    'row' in status ? status.row : { ...nothingYet, ...status.live.end }
  const { contextReset } = 'row' in status ? status.row : status.live
  if (outcome === null) return undefined
  return { outcome, reason, detail, answer, value, partial, usage, background, contextReset }
}

const nothingYet = {
  outcome: null,
  reason: null,
  detail: null,
  answer: null,
  value: null,
  partial: null,
  usage: null,
  background: null,
} as const
