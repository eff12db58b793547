import type { Limited } from '../../base/protocol/limit.ts'

/** A team that a host offers to others. */
export interface OfferedTeam {
  readonly name: string
  readonly description?: string | undefined
  readonly color?: string | undefined
  /** The hosts that may ask the team; absent if all hosts may. */
  readonly askedBy?: readonly string[] | undefined
  /** The hosts that can take over each other's conversations; absent if only this host has the team. */
  readonly hosts?: readonly string[] | undefined
  /** Set while the team's account is over a limit, so that its messages wait. */
  readonly limited?: Limited | undefined
}

/** How much a host has to do. */
export interface HostLoad {
  readonly turns: number
  readonly processes: number
  /** Memory available to new processes; absent if the host's Iris is older. */
  readonly freeMiB?: number | undefined
}

/** A host's entry about itself in the directory. */
export interface HostEntry {
  /** The version of Iris's messages between hosts. */
  readonly wire: number
  /** The version of Iris. */
  readonly version: string
  /** Its public key, by which other hosts recognize it: Ed25519, base64url. */
  readonly key: string
  readonly teams: readonly OfferedTeam[]
  /** Its unanswered messages, and its processes; absent if the host's Iris is older. */
  readonly load?: HostLoad | undefined
  /** The host accepts no new conversations. */
  readonly drained?: boolean | undefined
  /** The host is the keeper: it creates what the servers need, for all hosts. */
  readonly keeper?: boolean | undefined
  /** The host has left the others for good. */
  readonly left?: boolean | undefined
  /** Grows with each announcement; absent if the host's Iris is older and does not sign announcements. */
  readonly count?: number | undefined
  /** How long the host may be silent before it counts as asleep, in milliseconds. */
  readonly leaseMs: number
}

/** The directory of hosts. Each host writes only its own entry. */
export interface Directory {
  /** Replaces this host's entry. */
  announce(entry: string): Promise<void>
  /** Returns this host's existing entry; undefined if there is none. */
  own(): Promise<string | undefined>
  /** Calls `seen` with each existing entry, and with each later announcement. Removed entries are not reported. */
  watch(seen: (host: string, entry: string) => void): Promise<void>
}

const letterKinds = ['ask', 'taken', 'settled', 'moved', 'cancel', 'waits', 'reported', 'lacks'] as const

export function isLetterKind(kind: string): kind is Letter['kind'] {
  return letterKinds.some((known) => known === kind)
}

/** A message for another host. A mailbox holds at most one letter for each turn and kind: a newer one replaces it. */
export interface Letter {
  readonly turn: string
  readonly kind: (typeof letterKinds)[number]
  readonly text: string
}

/** One durable mailbox per host. A letter stays there until its host has handled it, however long that host is away. */
export interface Mailbox {
  /**
   * Resolves when the letter is stored. Of letters with the same `id` within two minutes, only one is stored. Throws
   * `message_too_long`; any other error may be temporary.
   */
  send(to: string, letter: Letter, id: string): Promise<void>
  /** Calls `handle` with each letter, repeatedly until it resolves. The sender `from` is certain. */
  receive(handle: (from: string, letter: Letter) => Promise<void>): Promise<void>
  /** Sends a text to a host that is listening at this moment. The text may be lost. */
  tell(to: string, text: string): void
  /** Calls `heard` with each text that another host sends with `tell`. */
  listen(heard: (from: string, text: string) => void): Promise<void>
}

/** A record in a conversation's log. Numbers ascend, with gaps. */
export interface LogRecord {
  readonly number: number
  readonly bytes: Uint8Array
}

/** The logs of conversations that several hosts may lead. */
export interface ConversationLogs {
  /** The records after the number `after`, in order. */
  read(team: string, conversation: string, after: number): Promise<LogRecord[]>
  /**
   * Adds a record if `last` is the number of the current last record, and returns the new number. Undefined if the last
   * record is a different one. Rejects if that is unknown.
   */
  append(team: string, conversation: string, bytes: Uint8Array, last: number): Promise<number | undefined>
}

/** The means of reaching other hosts, while there is a connection. */
export interface Network {
  readonly directory: Directory
  readonly mailbox: Mailbox
  readonly logs: ConversationLogs
  /** Whether this host is the keeper, which creates what the servers need for all hosts. */
  readonly isKeeper: () => boolean
}
