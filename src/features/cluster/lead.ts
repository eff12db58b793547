import { pause } from '../../base/lib/clock.ts'
import type { FoundFile } from '../../platform/machine/found-file.ts'
import { type BegunTurn, conversationIn, entryOf, type LoggedConversation, recordOf } from './conversation-log.ts'
import {
  type LeadListener,
  type LeadParts,
  type LedConversation,
  type LogPlace,
  missingOf,
  type NewEntry,
} from './led-conversation.ts'
import { hashOf, type SignedRecord } from './log-seal.ts'
import type { ConversationLogs } from './ports.ts'

const againMs = 250
/** Far less than what NATS servers carry by default. */
const pieceBytes = 512 * 1024

/** This host's view of one conversation's log. Records are appended one at a time. */
export class Lead {
  readonly #parts: LeadParts
  readonly #listener: LeadListener
  readonly #team: string
  readonly #conversation: string
  #last: number | undefined
  #leader: { readonly host: string; readonly session: string } | undefined
  #size = 0
  /** How many bytes of each subagent's transcript the log has, by file. */
  #subagents = new Map<string, number>()
  #begun: ReadonlyMap<string, BegunTurn> = new Map()
  /** The hash of the last known record. */
  #hash = ''
  /** The hash of the log's first record; undefined if there is none. */
  #log: string | undefined
  /** The number of the last record of each open turn. */
  readonly #places = new Map<string, number>()
  /** Whether the log has everything about open turns that the ledger has. */
  #isWhole = false
  #work: Promise<unknown> = Promise.resolve()
  #claims: Promise<unknown> = Promise.resolve()

  constructor(parts: LeadParts, listener: LeadListener, team: string, conversation: string) {
    this.#parts = parts
    this.#listener = listener
    this.#team = team
    this.#conversation = conversation
  }

  /** Decides who leads for one ask at a time: the ask's turn is accepted before the next decision begins. */
  alone<T>(run: () => Promise<T>): Promise<T> {
    const done = this.#claims.then(run, run)
    this.#claims = done.catch(() => {})
    return done
  }

  /** The current leader; undefined if there has been none. Rejects while the log is unreachable. */
  async leader(): Promise<Lead['known']> {
    return this.#inOrder(async () => {
      if (!(await this.#isUnchanged())) await this.#look()
      return this.#leader
    })
  }

  /** The conversation that the log contains at this moment. */
  async read(): Promise<LoggedConversation> {
    return this.#inOrder(() => this.#look())
  }

  /**
   * What a host had done for this turn when this host last read the log. Undefined if the host had done nothing, or if
   * the turn has ended.
   */
  begun(turn: string): BegunTurn | undefined {
    return this.#begun.get(turn)
  }

  /** The place in the log of the last record about this open turn. Undefined if this host knows of none. */
  placeOf(turn: string): LogPlace | undefined {
    const record = this.#places.get(turn)
    return record === undefined || this.#log === undefined ? undefined : { log: this.#log, record }
  }

  /** The leader when this host last checked. */
  get known(): { readonly host: string; readonly session: string } | undefined {
    return this.#leader
  }

  /**
   * Makes this host the conversation's leader, with what the transcript contains so far. Returns false if another host
   * was first.
   */
  async take(session: string, size: number, last: number): Promise<boolean> {
    return this.#inOrder(async () => {
      this.#last = last
      const isTaken = await this.#append({ kind: 'leads', host: this.#parts.self(), session, size })
      if (isTaken) this.#now(session, size)
      if (isTaken) this.#remember()
      return isTaken
    })
  }

  /**
   * If this host leads or no host does, adds the part of the transcript that the log lacks, and then the entry. Returns
   * false if another host leads. Repeats until it is certain which of the two is true. Rejects once `signal` is
   * aborted.
   */
  async add(entry: NewEntry, of: LedConversation, signal?: AbortSignal): Promise<boolean> {
    return this.#inOrder(async () => {
      for (;;) {
        try {
          if (this.#last === undefined) await this.#look()
          if ((await this.#leads(of)) && (await this.#restore(of, entry)) && (await this.#ship(of)))
            if (await this.#append(entry)) return this.#remember()
          // The servers lost records, or an earlier attempt succeeded.
          if (this.#leader !== undefined && this.#leader.host !== this.#parts.self()) return false
        } catch (error) {
          signal?.throwIfAborted()
          if (signal === undefined) throw error
          await pause(this.#parts.clock.machine, againMs, signal)
          signal.throwIfAborted()
        }
      }
    })
  }

  async #leads({ session, file }: LedConversation): Promise<boolean> {
    const { self } = this.#parts
    if (this.#leader !== undefined && this.#leader.host !== self()) return false
    const found = await file()
    const isAnother = this.#leader?.session !== session || (found !== undefined && found.size < this.#size)
    if (!isAnother) return true
    if (!(await this.#append({ kind: 'leads', host: self(), session, size: 0 }))) return false
    this.#now(session, 0)
    return true
  }

  /**
   * Adds the work of open turns that the log lacks, for example after a loss, because a host that takes over must not
   * start that work again.
   */
  async #restore(of: LedConversation, entry: NewEntry): Promise<boolean> {
    if (this.#isWhole) return true
    for (const missing of missingOf(of.open(), this.#begun, entry)) if (!(await this.#append(missing))) return false
    this.#isWhole = true
    return true
  }

  async #ship({ file, subagents }: LedConversation): Promise<boolean> {
    const found = await file()
    while (found && this.#size < found.size) {
      const piece = await found.read(this.#size, Math.min(pieceBytes, found.size - this.#size))
      if (piece.length === 0) return true
      if (!(await this.#append({ kind: 'lines' }, piece))) return false
      this.#size += piece.length
    }
    for (const each of found ? await subagents(found) : []) if (!(await this.#shipSubagent(each))) return false
    return true
  }

  async #shipSubagent(found: FoundFile): Promise<boolean> {
    const file = found.facts.names.at(-1)!
    for (let size = this.#subagents.get(file) ?? 0; size < found.size; this.#subagents.set(file, size)) {
      const piece = await found.read(size, Math.min(pieceBytes, found.size - size))
      if (piece.length === 0) return true
      if (!(await this.#append({ kind: 'subagent', file }, piece))) return false
      size += piece.length
    }
    return true
  }

  /** Returns false if another host has added a record since then, which only a leading host does. */
  async #append(entry: NewEntry, text?: Uint8Array): Promise<boolean> {
    const id = this.#parts.newId()
    const before = this.#last!
    const bytes = this.#parts.logSeal.sign(recordOf({ ...entry, id }, text), this.#placeAfter(before))
    for (let tries = 0; ; tries++) {
      try {
        const number = await this.#logs.append(this.#team, this.#conversation, bytes, before)
        if (number === undefined && !(await this.#wasAdded(id, before))) return false
        this.#added(entry, number ?? this.#last!, before, hashOf(bytes))
        return true
      } catch (error) {
        // The record may have been added anyway; the next attempt shows whether it was.
        if (tries === 1) {
          this.#last = undefined
          throw error
        }
      }
    }
  }

  #added(entry: NewEntry, number: number, before: number, hash: string): void {
    this.#last = number
    this.#hash = hash
    if (before === 0) this.#log = hash
    if (entry.kind === 'ends') this.#places.delete(entry.turn)
    if (entry.kind !== 'delivers' && entry.kind !== 'starts') return
    this.#places.set(entry.turn, number)
    this.#listener.began(entry.turn)
  }

  /** Whether an append was refused only because an earlier attempt with the same record succeeded. */
  async #wasAdded(id: string, before: number): Promise<boolean> {
    const records = await this.#after(before)
    const isOurs = records.length === 1 && entryOf(records[0]!)?.entry.id === id
    if (isOurs) this.#last = records[0]!.number
    else await this.#look()
    return isOurs
  }

  async #look(): Promise<LoggedConversation> {
    const records = await this.#after(0)
    const past = conversationIn(records)
    const isOpen = ({ end, deliveries }: BegunTurn): boolean => end === undefined && deliveries.length > 0
    this.#begun = new Map([...past.turns].filter(([, turn]) => isOpen(turn)))
    this.#places.clear()
    for (const [turn, { records: numbers }] of this.#begun) this.#places.set(turn, numbers.at(-1)!)
    this.#subagents = sizesOf(past)
    this.#last = past.last
    this.#hash = records.at(-1)?.hash ?? ''
    this.#log = records[0]?.hash
    this.#leader = past.leader
    this.#size = past.size
    this.#isWhole = false
    this.#compare(records)
    return past
  }

  /** Whether the log still ends where this host last knew it to end. */
  async #isUnchanged(): Promise<boolean> {
    if (this.#last === undefined) return false
    const [last, ...later] = await this.#after(Math.max(0, this.#last - 1))
    if (this.#last === 0) return last === undefined
    return last?.number === this.#last && last.hash === this.#hash && later.length === 0
  }

  /**
   * Detects lost records. If the log lacks a record that this host remembers, the servers have lost it with their
   * files.
   */
  #compare(records: readonly SignedRecord[]): void {
    const { logEnds } = this.#parts
    const known = logEnds.of(this.#team, this.#conversation)
    if (known === undefined) return
    if (records.some(({ number, hash }) => number === known.number && hash === known.hash)) return
    const last = records.at(-1)
    logEnds.put(this.#team, this.#conversation, last)
    this.#listener.lost(known.number, last?.number ?? 0)
  }

  /** Remembers where the log ends. Called when this host leads and knows the log's end. */
  #remember(): true {
    this.#parts.logEnds.put(this.#team, this.#conversation, { number: this.#last!, hash: this.#hash })
    return true
  }

  /**
   * All records after `number`, including those that no entitled host has signed, because the log's numbering includes
   * them.
   */
  async #after(number: number): Promise<SignedRecord[]> {
    const records = await this.#logs.read(this.#team, this.#conversation, number)
    return records.map((record, at) =>
      this.#parts.logSeal.open(record, this.#placeAfter(records[at - 1]?.number ?? number)),
    )
  }

  #placeAfter(after: number) {
    return { team: this.#team, conversation: this.#conversation, after }
  }

  #now(session: string, size: number): void {
    this.#leader = { host: this.#parts.self(), session }
    this.#size = size
    if (size === 0) this.#subagents.clear()
  }

  get #logs(): ConversationLogs {
    const logs = this.#parts.logs()
    if (logs === undefined) throw new Error('this host is not joined with others')
    return logs
  }

  #inOrder<T>(run: () => Promise<T>): Promise<T> {
    const done = this.#work.then(run, run)
    this.#work = done.catch(() => {})
    return done
  }
}

function sizesOf({ subagents }: LoggedConversation): Map<string, number> {
  return new Map([...subagents].map(([file, { length }]) => [file, length]))
}
