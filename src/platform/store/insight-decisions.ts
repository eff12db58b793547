import type { Pair } from '../../base/protocol/pair.ts'
import type { Store } from './store.ts'

/** A process that was started before anybody asked for it. Times are milliseconds since the epoch. */
export interface WarmStart extends Pair {
  readonly at: number
  /** Its ask of `from` was the reason. */
  readonly asker: string
}

/** The first message that such a process got. */
export interface WarmUse {
  readonly turn: string
  readonly usedAt: number
  /** Milliseconds that it did not wait for a start. */
  readonly savedMs: number
}

/** Two messages at work that used one file; `turn` was about to change it. */
export interface FileCollision {
  readonly at: number
  readonly turn: string
  readonly otherTurn: string
  readonly path: string
}

const mostRows = 20_000
const mostOfATurn = 20

/** The tables `warm_starts` and `file_collisions`. Nothing in them must survive a power cut at once. */
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
      collide: store.prepare(
        'INSERT INTO file_collisions (at, turn, other_turn, path) VALUES (?, ?, ?, ?) RETURNING id',
      ),
      pruneCollisions: store.prepare('DELETE FROM file_collisions WHERE id <= ?'),
      collisionsOf: store.prepare(
        `SELECT at, turn, other_turn AS otherTurn, path FROM file_collisions
         WHERE turn = ?1 OR other_turn = ?1 ORDER BY id LIMIT ${mostOfATurn}`,
      ),
      started: store.prepare(
        `SELECT count(*) AS starts, count(turn) AS used, coalesce(sum(saved_ms), 0) AS savedMs
         FROM warm_starts WHERE at >= ?`,
      ),
      collided: store.prepare('SELECT count(*) AS times FROM file_collisions WHERE at >= ?'),
    }
  }

  /** The id is for `used`. */
  started({ at, from, to, thread, asker }: WarmStart): number {
    return this.#store.withoutSync(() => {
      const id = Number(this.#statements.start.get(at, from, to, thread, asker)!['id'])
      this.#statements.pruneStarts.run(id - mostRows)
      return id
    })
  }

  used(id: number, { turn, usedAt, savedMs }: WarmUse): void {
    this.#store.withoutSync(() => this.#statements.use.run(turn, usedAt, savedMs, id))
  }

  /** The process of this message had been started ahead of it. */
  startFor(turn: string): (WarmStart & WarmUse) | undefined {
    return this.#statements.startOf.get(turn) as (WarmStart & WarmUse) | undefined
  }

  collided({ at, turn, otherTurn, path }: FileCollision): void {
    this.#store.withoutSync(() => {
      const id = Number(this.#statements.collide.get(at, turn, otherTurn, path)!['id'])
      this.#statements.pruneCollisions.run(id - mostRows)
    })
  }

  collisionsOf(turn: string): FileCollision[] {
    return this.#statements.collisionsOf.all(turn) as unknown as FileCollision[]
  }

  /** Processes started ahead since then, how many of them got a message, and the time these did not wait. */
  startsSince(since: number): { readonly starts: number; readonly used: number; readonly savedMs: number } {
    return this.#statements.started.get(since) as { starts: number; used: number; savedMs: number }
  }

  collisionsSince(since: number): { readonly times: number } {
    return this.#statements.collided.get(since) as { times: number }
  }
}
