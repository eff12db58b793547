import { type Clock, pause } from '../../base/lib/clock.ts'
import type { FoundFile } from '../../platform/machine/found-file.ts'
import {
  type BegunTurn,
  conversationIn,
  entryOf,
  type LogEntry,
  type LoggedConversation,
  recordOf,
} from './conversation-log.ts'
import type { LogSeal, SignedRecord } from './log-seal.ts'
import type { ConversationLogs } from './ports.ts'

export interface LeadParts {
  readonly clock: Clock
  readonly newId: () => string
  /** The name of this host. */
  readonly self: () => string
  /** Undefined while this host is not joined with others. */
  readonly logs: () => ConversationLogs | undefined
  readonly logSeal: LogSeal
}

const againMs = 250
/** Far below the size that NATS servers carry by default. */
const pieceBytes = 512 * 1024

type NewEntry = LogEntry extends infer Entry ? (Entry extends LogEntry ? Omit<Entry, 'id'> : never) : never

/** The conversation as the leading host has it on its disk. */
export interface LedConversation {
  readonly session: string
  readonly file: () => Promise<FoundFile | undefined>
  /** The transcripts of its subagents. */
  readonly subagents: (file: FoundFile) => Promise<readonly FoundFile[]>
}

/** This host's view of one conversation's log. Its records go there one after the other. */
export class Lead {
  readonly #parts: LeadParts
  readonly #team: string
  readonly #conversation: string
  #last: number | undefined
  #leader: { readonly host: string; readonly session: string } | undefined
  #size = 0
  /** Bytes of each subagent's transcript that the log has. */
  #subagents = new Map<string, number>()
  #begun: ReadonlyMap<string, BegunTurn> = new Map()
  #work: Promise<unknown> = Promise.resolve()
  #claims: Promise<unknown> = Promise.resolve()

  constructor(parts: LeadParts, team: string, conversation: string) {
    this.#parts = parts
    this.#team = team
    this.#conversation = conversation
  }

  /** Runs one after the other what decides who leads and accepts a turn then. */
  alone<T>(run: () => Promise<T>): Promise<T> {
    const done = this.#claims.then(run, run)
    this.#claims = done.catch(() => {})
    return done
  }

  /** Who leads now; undefined: nobody has led it. Rejects while there is no way to the log. */
  async leader(): Promise<Lead['known']> {
    return this.#inOrder(async () => {
      const isKnown = this.#last !== undefined && (await this.#after(this.#last)).length === 0
      if (!isKnown) await this.#look()
      return this.#leader
    })
  }

  /** The conversation as the log has it at this moment. */
  async read(): Promise<LoggedConversation> {
    return this.#inOrder(async () => {
      const past = await this.#readAll()
      this.#subagents = sizesOf(past)
      return past
    })
  }

  /** What a host had done of this turn when this host last read the log; undefined: nothing, or it has ended. */
  begun(turn: string): BegunTurn | undefined {
    return this.#begun.get(turn)
  }

  /** Who led it when this host last looked. */
  get known(): { readonly host: string; readonly session: string } | undefined {
    return this.#leader
  }

  /** Leads the conversation from here on, with what the transcript has so far. False: another host was first. */
  async take(session: string, size: number, last: number): Promise<boolean> {
    return this.#inOrder(async () => {
      this.#last = last
      const isTaken = await this.#append({ kind: 'leads', host: this.#parts.self(), session, size })
      if (isTaken) this.#now(session, size)
      return isTaken
    })
  }

  /**
   * Adds what the transcript has more than the log, and then the entry, if this host leads or nobody does. False:
   * another host leads. Repeats until that is certain; rejects once `signal` is aborted.
   */
  async add(entry: NewEntry, of: LedConversation, signal?: AbortSignal): Promise<boolean> {
    return this.#inOrder(async () => {
      for (;;) {
        try {
          if (this.#last === undefined) await this.#look()
          if ((await this.#ship(of)) && (await this.#append(entry))) return true
          // Otherwise the servers lost their files, or an earlier try had come through.
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

  async #ship({ session, file, subagents }: LedConversation): Promise<boolean> {
    const { self } = this.#parts
    if (this.#leader !== undefined && this.#leader.host !== self()) return false
    const found = await file()
    const isAnother = this.#leader?.session !== session || (found !== undefined && found.size < this.#size)
    if (isAnother) {
      if (!(await this.#append({ kind: 'leads', host: self(), session, size: 0 }))) return false
      this.#now(session, 0)
    }
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

  /** False: somebody else has added a record since, and only a host that leads does that. */
  async #append(entry: NewEntry, text?: Uint8Array): Promise<boolean> {
    const id = this.#parts.newId()
    const before = this.#last!
    const bytes = this.#parts.logSeal.sign(recordOf({ ...entry, id }, text), this.#placeAfter(before))
    for (let tries = 0; ; tries++) {
      try {
        const number = await this.#logs.append(this.#team, this.#conversation, bytes, before)
        if (number === undefined) return await this.#wasAdded(id, before)
        this.#last = number
        return true
      } catch (error) {
        // It may have been added all the same; the next try shows it.
        if (tries === 1) {
          this.#last = undefined
          throw error
        }
      }
    }
  }

  /** Whether the refusal only means that an earlier try of this record had come through. */
  async #wasAdded(id: string, before: number): Promise<boolean> {
    const records = await this.#after(before)
    const isOurs = records.length === 1 && entryOf(records[0]!)?.entry.id === id
    if (isOurs) this.#last = records[0]!.number
    else await this.#look()
    return isOurs
  }

  async #look(): Promise<void> {
    const past = await this.#readAll()
    const { last, leader, size } = past
    this.#subagents = sizesOf(past)
    this.#last = last
    this.#leader = leader
    this.#size = size
  }

  async #readAll(): Promise<LoggedConversation> {
    const past = conversationIn(await this.#after(0))
    this.#begun = new Map([...past.turns].filter(([, { end, deliveries }]) => !end && deliveries.length > 0))
    return past
  }

  /** All records after that one, also those that nobody signed who may: their numbers count. */
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
