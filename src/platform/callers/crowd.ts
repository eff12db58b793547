/** How many connections may be open. */
export interface CrowdBounds {
  readonly most: number
  /**
   * How many connections each check leaves to one process, or to all processes of one agent. Between two checks, up to
   * half that number can be opened in addition.
   */
  readonly mostOfOne: number
}

export interface CrowdParts<Connection> {
  readonly bounds: CrowdBounds
  /**
   * Identifies the peer; connections with the same text share a limit. Called once for each connection, and only when
   * there are many.
   */
  readonly whoOf: (connection: Connection) => Promise<string>
  /**
   * Called after connections were closed. `who` is undefined if they were rejected before their caller was identified.
   */
  readonly onClosed: (closed: number, who: string | undefined) => void
}

interface Open<Connection> {
  readonly connection: Connection
  /** Requests whose headers have arrived and whose responses have not ended. */
  requests: number
  who?: string
}

/**
 * At this multiple of `most`, new connections are rejected unchecked. The margin above `most` gives a check of the
 * callers time to finish.
 */
const headroom = 1.25
/**
 * The maximum number of rounds of identifying callers before connections are closed. Each round identifies the callers
 * that arrived during the previous one.
 */
const maxLooks = 3

/**
 * Limits the connections of a server, so that nobody can use up all descriptors. A caller with too many connections
 * loses those without a request, oldest first, down to half the limit: a check takes about 50 ms, and more connections
 * arrive in the meantime. If that is not enough, its connections with a request are closed, newest first, down to the
 * limit. Other callers keep their connections. While there are still more than `most` connections in all, the caller
 * with the most connections loses some.
 */
export class Crowd<Connection extends { destroy(): unknown }> {
  readonly #parts: CrowdParts<Connection>
  /** Oldest first. */
  readonly #open = new Map<Connection, Open<Connection>>()
  #unlooked = 0
  #thinning: Promise<void> | undefined

  constructor(parts: CrowdParts<Connection>) {
    this.#parts = parts
  }

  get size(): number {
    return this.#open.size
  }

  /** Resolves once no caller is being identified any more. */
  get thinned(): Promise<void> {
    return this.#thinning ?? Promise.resolve()
  }

  /** Accepts a new connection or closes it. Returns whether it was accepted. */
  add(connection: Connection): boolean {
    const { bounds, onClosed } = this.#parts
    if (this.#open.size >= bounds.most * headroom) {
      connection.destroy()
      onClosed(1, undefined)
      return false
    }
    this.#open.set(connection, { connection, requests: 0 })
    this.#unlooked += 1
    if (this.#isCrowd()) this.#thinning ??= this.#thin()
    return true
  }

  remove(connection: Connection): void {
    const open = this.#open.get(connection)
    if (open === undefined) return
    if (open.who === undefined) this.#unlooked -= 1
    this.#open.delete(connection)
  }

  #isCrowd(): boolean {
    const { mostOfOne } = this.#parts.bounds
    return this.#open.size > mostOfOne && this.#unlooked > mostOfOne / 2
  }

  /** A request has arrived over the connection; call `ends` when it has been answered. */
  begins(connection: Connection): void {
    this.#count(connection, 1)
  }

  ends(connection: Connection): void {
    this.#count(connection, -1)
  }

  #count(connection: Connection, change: 1 | -1): void {
    const open = this.#open.get(connection)
    if (open) open.requests += change
  }

  async #thin(): Promise<void> {
    while (this.#isCrowd()) {
      for (let looks = 0; looks < maxLooks && this.#unlooked > 0; looks += 1) {
        await Promise.all(this.#unknown().map((each) => this.#lookAt(each)))
      }
      this.#closeSome()
    }
    this.#thinning = undefined
  }

  #unknown(): Open<Connection>[] {
    return [...this.#open.values()].filter(({ who }) => who === undefined)
  }

  async #lookAt(open: Open<Connection>): Promise<void> {
    const who = await this.#parts.whoOf(open.connection).catch(() => 'somebody who cannot be seen')
    if (this.#open.has(open.connection)) this.#unlooked -= 1
    open.who = who
  }

  #closeSome(): void {
    const { most, mostOfOne } = this.#parts.bounds
    const known = [...this.#open.values()].filter(({ who }) => who !== undefined)
    const crowds = Map.groupBy(known, ({ who }) => who!)
    for (const [who, theirs] of crowds) {
      const resting = theirs.filter(({ requests }) => requests === 0).length
      const over = theirs.length - mostOfOne
      if (over > 0) crowds.set(who, this.#close(who, theirs, Math.max(over, Math.min(resting, over + mostOfOne / 2))))
    }
    // The caller with the most connections loses some, until it has as many as the caller with the next most.
    let over = this.#open.size - most
    while (over > 0) {
      const [largest, next] = [...crowds].toSorted(([, one], [, other]) => other.length - one.length)
      if (largest === undefined || largest[1].length === 0) break
      const [who, theirs] = largest
      const closed = Math.min(over, Math.max(1, theirs.length - (next?.[1].length ?? 0)))
      crowds.set(who, this.#close(who, theirs, closed))
      over -= closed
    }
  }

  /** Closes `count` of the caller's connections. Returns the remaining ones. */
  #close(who: string, theirs: readonly Open<Connection>[], count: number): Open<Connection>[] {
    const resting = theirs.filter(({ requests }) => requests === 0)
    const working = theirs.filter(({ requests }) => requests > 0).toReversed()
    const closed = new Set([...resting, ...working].slice(0, count))
    for (const { connection } of closed) {
      this.#open.delete(connection)
      connection.destroy()
    }
    this.#parts.onClosed(closed.size, who)
    return theirs.filter((each) => !closed.has(each))
  }
}
