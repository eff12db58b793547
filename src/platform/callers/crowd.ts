/** How many connections may be open. */
export interface CrowdBounds {
  readonly most: number
  /**
   * Of one process, or of all processes of one agent, when somebody looks. Between two looks somebody can open half as
   * many more.
   */
  readonly mostOfOne: number
}

export interface CrowdParts<Connection> {
  readonly bounds: CrowdBounds
  /** Who is at the other end; connections with the same text share a bound. Asked once for each connection, and only in a crowd. */
  readonly whoOf: (connection: Connection) => Promise<string>
  /** Connections of somebody were closed, or turned away before it was known whose they are (`undefined`). */
  readonly onClosed: (closed: number, who: string | undefined) => void
}

interface Open<Connection> {
  readonly connection: Connection
  /** Requests whose headers have come and whose answers have not ended. */
  requests: number
  who?: string
}

/** So far above `most` a new connection is turned away unseen; a look at who connects has that much time. */
const headroom = 1.25
/** Connections that came during a look are looked at before any is closed, for so many looks in a row. */
const maxLooks = 3

/**
 * Bounds the connections of a server, so that nobody can take all descriptors. Whoever has too many loses those without a
 * request, oldest first, down to half the bound: a look at who connects costs some 50 ms, and a crowd goes on coming. If
 * that is not enough, those with a request follow, newest first, down to the bound. Others keep theirs.
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

  /** Resolves once nobody is looked at any more. */
  get thinned(): Promise<void> {
    return this.#thinning ?? Promise.resolve()
  }

  /** Takes a new connection, or closes it. Whether it was taken. */
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

  /** A request has come over the connection; `ends` when it has been answered. */
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
    for (let over = this.#open.size - most; over > 0; ) {
      const [largest, next] = [...crowds].toSorted(([, one], [, other]) => other.length - one.length)
      if (largest === undefined || largest[1].length === 0) break
      const [who, theirs] = largest
      const closed = Math.min(over, Math.max(1, theirs.length - (next?.[1].length ?? 0)))
      crowds.set(who, this.#close(who, theirs, closed))
      over -= closed
    }
  }

  /** Those that are left. */
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
