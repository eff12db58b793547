import type {
  ConversationLogs,
  Directory,
  Letter,
  LogRecord,
  Mailbox,
  Network,
} from '../../src/features/cluster/ports.ts'

type Seen = Parameters<Directory['watch']>[0]
type Handle = Parameters<Mailbox['receive']>[0]

/**
 * An in-memory network between hosts, for tests of decisions without a server. `test/spec/cluster-ports.test.ts` holds
 * it to the form for NATS.
 */
export class MemoryServer {
  readonly #entries = new Map<string, string>()
  readonly #watchers: Seen[] = []
  readonly #letters = new Map<string, { readonly to: string; readonly from: string; readonly letter: Letter }>()
  readonly #ids = new Set<string>()
  readonly #readers = new Map<string, Handle>()
  readonly #listeners = new Map<string, (from: string, text: string) => void>()
  readonly logs = memoryLogs()

  /** The ways of that host to the others. */
  networkOf(self: string): Network {
    const directory: Directory = {
      announce: async (entry) => {
        this.#entries.set(self, entry)
        for (const seen of this.#watchers) seen(self, entry)
      },
      own: async () => this.#entries.get(self),
      watch: async (seen) => {
        this.#watchers.push(seen)
        for (const [host, text] of this.#entries) seen(host, text)
      },
    }
    const mailbox: Mailbox = {
      send: async (to, letter, id) => {
        if (this.#ids.has(`${to} ${id}`)) return
        this.#ids.add(`${to} ${id}`)
        const place = [to, self, letter.turn, letter.kind].join(' ')
        this.#letters.set(place, { to, from: self, letter })
        void this.#deliver(place)
      },
      receive: async (handle) => {
        this.#readers.set(self, handle)
        for (const [place, { to }] of this.#letters) if (to === self) void this.#deliver(place)
      },
      tell: (to, text) => this.#listeners.get(to)?.(self, text),
      listen: async (heard) => void this.#listeners.set(self, heard),
    }
    return { directory, mailbox, logs: this.logs, isKeeper: () => false }
  }

  async #deliver(place: string): Promise<void> {
    const kept = this.#letters.get(place)
    const handle = this.#readers.get(kept?.to ?? '')
    if (kept === undefined || handle === undefined) return
    try {
      await handle(kept.from, kept.letter)
      if (this.#letters.get(place) === kept) this.#letters.delete(place)
    } catch {
      setTimeout(() => void this.#deliver(place), 10)
    }
  }
}

/** The logs of conversations, in memory. */
export function memoryLogs(): ConversationLogs {
  const records: (LogRecord & { readonly place: string })[] = []
  const of = (place: string) => records.filter((record) => record.place === place)
  return {
    read: async (team, conversation, after) =>
      of(`${team} ${conversation}`)
        .filter(({ number }) => number > after)
        .map(({ number, bytes }) => ({ number, bytes })),
    async append(team, conversation, bytes, last) {
      const place = `${team} ${conversation}`
      if ((of(place).at(-1)?.number ?? 0) !== last) return undefined
      const number = records.length + 1
      records.push({ place, number, bytes })
      return number
    },
  }
}
