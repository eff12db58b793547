import { type Holder, SocketHolders } from './socket-holders.ts'
import { type Ends, otherEndsIn, type SocketRow } from './socket-table.ts'

/**
 * Who holds the other end of a TCP connection of this machine: a process, with the inode of its socket; `unseen`, which is
 * a process of this user that hides, or one that has hung up already; another user's. Undefined where there is no /proc.
 */
export type Peer =
  | { readonly kind: 'process'; readonly holder: Holder; readonly inode: string }
  | { readonly kind: 'unseen' }
  | { readonly kind: 'user'; readonly uid: number }
  | undefined

/** One end of a connection; `destroyed` once it is over. */
export type Connected = Ends & { readonly destroyed?: boolean }

interface Waiting {
  readonly connection: Connected
  readonly found: (peer: Peer) => void
  readings: number
}

/** The kernel's table is read in pieces: while others connect, a row can be missing from one reading of it. */
const maxReadings = 3

/** Finds the processes at the other ends of connections. Linux only. */
export class PeerLookup {
  readonly #holders = new SocketHolders()
  #waiting: Waiting[] = []
  #working = false
  readonly #read: typeof otherEndsIn

  constructor(read = otherEndsIn) {
    this.#read = read
  }

  /** However many ask meanwhile, the next reading of the table and the next walk over all processes answer them all. */
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
        else each.found(over ? unseen : peer)
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

/** The process of a connection may have ended after it wrote: the kernel then names root as its user. */
function isHeld({ inode }: SocketRow): boolean {
  return inode !== '0'
}

const unseen = { kind: 'unseen' } as const
