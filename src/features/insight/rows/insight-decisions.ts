import type { Pair } from '../../../base/protocol/pair.ts'
import type { Store } from '../../../platform/store/store.ts'

/** A process that was started before a message needed it. Times are milliseconds since the epoch. */
export interface WarmStart extends Pair {
  readonly at: number
  /** The process was started because `asker` had asked `from`. */
  readonly asker: string
}

/** The first message that the process got. */
export interface WarmUse {
  readonly turn: string
  readonly usedAt: number
  /** Milliseconds that the message did not have to wait for a process to start. */
  readonly savedMs: number
}

/** Two running messages that used the same file; `turn` was about to change it. */
export interface FileCollision {
  readonly at: number
  readonly turn: string
  readonly otherTurn: string
  readonly path: string
}

/** A process that was kept although it was the least recently used one. `ended`: the process that was ended instead. */
export interface KeptProcess extends Pair {
  readonly at: number
  readonly ended: Pick<Pair, 'from' | 'to'>
}

/** `turn` got a process before `overtaken`, which had waited longer. */
export interface Overtaking {
  readonly at: number
  readonly turn: string
  readonly overtaken: string
}

/**
 * The effects of load balancing: how many processes it kept, how many of them got a message, and how often a turn
 * overtook another.
 */
export interface Balanced {
  readonly kept: number
  readonly used: number
  readonly savedMs: number
  readonly overtaken: number
}

const maxRows = 20_000
const maxOfATurn = 20

/**
 * The tables `warm_starts`, `kept_processes`, `overtaken_turns` and `file_collisions`. They are written without a disk
 * sync: a power cut may lose the last rows.
 */
export class InsightDecisions {
  readonly #store: Store
  readonly #statements

  constructor(store: Store) {
    this.#store = store
    this.#statements = {
      start: store.prepare(
        'INSERT INTO warm_starts (at, from_team, to_team, thread, asker) VALUES (?, ?, ?, ?, ?) RETURNING id',
      ),
      pruneStarts: store.prepare('DELETE FROM warm_starts WHERE id <= ?'),
      use: store.prepare('UPDATE warm_starts SET turn = ?, used_at = ?, saved_ms = ? WHERE id = ?'),
      startOf: store.prepare(
        `SELECT at, from_team AS "from", to_team AS "to", thread, asker, turn, used_at AS usedAt, saved_ms AS savedMs
         FROM warm_starts WHERE turn = ? LIMIT 1`,
      ),
      keep: store.prepare(
        'INSERT INTO kept_processes (at, from_team, to_team, thread, ended_from, ended_to) VALUES (?, ?, ?, ?, ?, ?) RETURNING id',
      ),
      pruneKept: store.prepare('DELETE FROM kept_processes WHERE id <= ?'),
      useKept: store.prepare('UPDATE kept_processes SET turn = ?, used_at = ?, saved_ms = ? WHERE id = ?'),
      keptFor: store.prepare(
        `SELECT at, from_team AS "from", to_team AS "to", thread, ended_from AS endedFrom, ended_to AS endedTo, turn,
           used_at AS usedAt, saved_ms AS savedMs FROM kept_processes WHERE turn = ? LIMIT 1`,
      ),
      overtake: store.prepare('INSERT INTO overtaken_turns (at, turn, overtaken) VALUES (?, ?, ?) RETURNING id'),
      pruneOvertaken: store.prepare('DELETE FROM overtaken_turns WHERE id <= ?'),
      overtakingsOf: store.prepare(
        `SELECT at, turn, overtaken FROM overtaken_turns WHERE turn = ?1 OR overtaken = ?1 ORDER BY id LIMIT ${maxOfATurn}`,
      ),
      balanced: store.prepare(
        `SELECT count(*) AS kept, count(turn) AS used, coalesce(sum(saved_ms), 0) AS savedMs,
           (SELECT count(*) FROM overtaken_turns WHERE at >= ?1) AS overtaken FROM kept_processes WHERE at >= ?1`,
      ),
      collide: store.prepare(
        'INSERT INTO file_collisions (at, turn, other_turn, path) VALUES (?, ?, ?, ?) RETURNING id',
      ),
      pruneCollisions: store.prepare('DELETE FROM file_collisions WHERE id <= ?'),
      collisionsOf: store.prepare(
        `SELECT at, turn, other_turn AS otherTurn, path FROM file_collisions
         WHERE turn = ?1 OR other_turn = ?1 ORDER BY id LIMIT ${maxOfATurn}`,
      ),
      started: store.prepare(
        `SELECT count(*) AS starts, count(turn) AS used, coalesce(sum(saved_ms), 0) AS savedMs
         FROM warm_starts WHERE at >= ?`,
      ),
      collided: store.prepare('SELECT count(*) AS times FROM file_collisions WHERE at >= ?'),
    }
  }

  /** Returns the row's id, for `used`. */
  started({ at, from, to, thread, asker }: WarmStart): number {
    return this.#store.withoutSync(() => {
      const id = Number(this.#statements.start.get(at, from, to, thread, asker)!['id'])
      this.#statements.pruneStarts.run(id - maxRows)
      return id
    })
  }

  used(id: number, { turn, usedAt, savedMs }: WarmUse): void {
    this.#store.withoutSync(() => this.#statements.use.run(turn, usedAt, savedMs, id))
  }

  /** The start of the process for this message, if the process had been started ahead. */
  startFor(turn: string): (WarmStart & WarmUse) | undefined {
    return this.#statements.startOf.get(turn) as (WarmStart & WarmUse) | undefined
  }

  /** Returns the row's id, for `usedKept`. */
  keptProcess({ at, from, to, thread, ended }: KeptProcess): number {
    return this.#store.withoutSync(() => {
      const id = Number(this.#statements.keep.get(at, from, to, thread, ended.from, ended.to)!['id'])
      this.#statements.pruneKept.run(id - maxRows)
      return id
    })
  }

  usedKept(id: number, { turn, usedAt, savedMs }: WarmUse): void {
    this.#store.withoutSync(() => this.#statements.useKept.run(turn, usedAt, savedMs, id))
  }

  /** The kept process that this message used, if it was kept although it was the least recently used one. */
  keptFor(turn: string): (KeptProcess & WarmUse) | undefined {
    const row = this.#statements.keptFor.get(turn)
    if (row === undefined) return undefined
    const { endedFrom, endedTo, ...rest } = row as unknown as KeptProcess &
      WarmUse &
      Record<'endedFrom' | 'endedTo', string>
    return { ...rest, ended: { from: endedFrom, to: endedTo } }
  }

  overtook({ at, turn, overtaken }: Overtaking): void {
    this.#store.withoutSync(() => {
      const id = Number(this.#statements.overtake.get(at, turn, overtaken)!['id'])
      this.#statements.pruneOvertaken.run(id - maxRows)
    })
  }

  overtakingsOf(turn: string): Overtaking[] {
    return this.#statements.overtakingsOf.all(turn) as unknown as Overtaking[]
  }

  collided({ at, turn, otherTurn, path }: FileCollision): void {
    this.#store.withoutSync(() => {
      const id = Number(this.#statements.collide.get(at, turn, otherTurn, path)!['id'])
      this.#statements.pruneCollisions.run(id - maxRows)
    })
  }

  collisionsOf(turn: string): FileCollision[] {
    return this.#statements.collisionsOf.all(turn) as unknown as FileCollision[]
  }

  /**
   * How many processes were started ahead since `since`, how many of them got a message, and the waiting time that this
   * saved.
   */
  startsSince(since: number): { readonly starts: number; readonly used: number; readonly savedMs: number } {
    return this.#statements.started.get(since) as { starts: number; used: number; savedMs: number }
  }

  balancedSince(since: number): Balanced {
    return this.#statements.balanced.get(since) as unknown as Balanced
  }

  collisionsSince(since: number): { readonly times: number } {
    return this.#statements.collided.get(since) as { times: number }
  }
}
