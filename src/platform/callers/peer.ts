import { TurnQueue } from '../../base/lib/in-turns.ts'
import { type Holder, SocketHolders } from './socket-holders.ts'
import { type Ends, otherEndsIn, type SocketRow } from './socket-table.ts'

/**
 * The peer of a local TCP connection: a process, with the inode of its socket; a process of another user; or `unseen`,
 * a process of this user that is hidden or has already hung up. Undefined without /proc.
 */
export type Peer =
  | { readonly kind: 'process'; readonly holder: Holder; readonly inode: string }
  | { readonly kind: 'unseen' }
  | { readonly kind: 'user'; readonly uid: number }
  | undefined

/** One end of a connection; `destroyed` once the connection is closed. */
export type Connected = Ends & { readonly destroyed?: boolean }

interface Waiting {
  readonly connection: Connected
  readonly found: (peer: Peer) => void
  readings: number
}

/**
 * The kernel returns its table in pieces. If other connections open in the meantime, a single reading can miss a row.
 */
const maxReadings = 3

/** Finds the processes at the other ends of connections. Linux only. */
export class PeerLookup {
  readonly #holders = new SocketHolders()
  #waiting: Waiting[] = []
  #working = false
  readonly #answering = new TurnQueue(8)
  readonly #read: typeof otherEndsIn

  constructor(read = otherEndsIn) {
    this.#read = read
  }

  /**
   * Calls that arrive during a lookup share the next lookup, which reads the table once and walks over all processes
   * once. Never rejects.
   */
  of(connection: Connected): Promise<Peer> {
    return new Promise((found) => {
      this.#waiting.push({ connection, found, readings: 0 })
      if (!this.#working) void this.#work()
    })
  }

  async #work(): Promise<void> {
    this.#working = true
    while (this.#waiting.length > 0) {
      const asked = this.#waiting
      this.#waiting = []
      const peers = await this.#look(asked.map(({ connection }) => connection)).catch(() => asked.map(() => unseen))
      for (const [index, each] of asked.entries()) {
        const peer = peers[index]
        each.readings += 1
        const over = each.connection.destroyed === true
        if (peer?.kind === 'unseen' && !over && each.readings < maxReadings) this.#waiting.push(each)
        else {
          // Limits how many callers continue in one turn of the event loop, because each continues with its request at
          // once.
          await this.#answering.enter()
          each.found(over ? unseen : peer)
        }
      }
    }
    this.#working = false
  }

  async #look(connections: readonly Connected[]): Promise<Peer[]> {
    const ipv4 = process.platform === 'linux' ? await this.#read('/proc/net/tcp', connections) : undefined
    if (ipv4 === undefined) return connections.map(() => undefined)
    const elsewhere = connections.filter((_, index) => ipv4[index] === undefined)
    const ipv6 = elsewhere.length === 0 ? [] : ((await this.#read('/proc/net/tcp6', elsewhere)) ?? [])
    const rows = ipv4.map((row, index) => row ?? ipv6[elsewhere.indexOf(connections[index]!)])
    const own = rows.filter((row) => row !== undefined && row.uid === process.getuid?.() && isHeld(row))
    const holders = await this.#holders.of(own.map((row) => row!.inode))
    return rows.map((row) => {
      if (row === undefined || !isHeld(row)) return unseen
      if (row.uid !== process.getuid?.()) return { kind: 'user', uid: row.uid }
      const holder = holders.get(row.inode)
      return holder === undefined ? unseen : { kind: 'process', holder, inode: row.inode }
    })
  }
}

/**
 * Whether a process has the socket open. Once that process has exited, the kernel reports root as the socket's user.
 */
function isHeld({ inode }: SocketRow): boolean {
  return inode !== '0'
}

const unseen = { kind: 'unseen' } as const
