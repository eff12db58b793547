import type { DatabaseSync } from 'node:sqlite'
import type { Store } from './store.ts'

/** An ask that came from another host. */
export interface ClusterAskRow {
  readonly turn: string
  readonly host: string
  /** Who asked before, the first asker first. */
  readonly chain: readonly string[]
  /** How it was refused, JSON; null: it was accepted, and there is a turn. */
  readonly refusal: string | null
  /** Whether the mailbox of the asking host has the end. */
  readonly answered: boolean
}

export interface ClusterHostRow {
  readonly name: string
  /** The public key that this host first announced. */
  readonly key: string
  /** As it last announced itself, JSON. */
  readonly entry: string
  readonly seenAt: number
}

/** The tables `cluster_hosts` and `cluster_asks`. */
export class ClusterRows {
  readonly #statements
  readonly #store: Store

  constructor(database: Store) {
    this.#store = database
    this.#statements = prepare(database)
  }

  hosts(): ClusterHostRow[] {
    return this.#statements.hosts.all() as unknown as ClusterHostRow[]
  }

  /** The key that this host first announced. */
  keyOf(name: string): string | undefined {
    return this.#statements.keyOf.get(name)?.['key'] as string | undefined
  }

  /** Keeps the key that was there before. Waits for no disk: a host announces itself again. */
  putHost({ name, key, entry, seenAt }: ClusterHostRow): void {
    this.#store.withoutSync(() => this.#statements.putHost.run(name, key, entry, seenAt))
  }

  removeHost(name: string): void {
    this.#statements.removeHost.run(name)
  }

  ask(turn: string): ClusterAskRow | undefined {
    const row = this.#statements.ask.get(turn)
    return row && toAsk(row)
  }

  /** Throws if there is a row for this turn. */
  addAsk({ turn, host, chain, refusal }: Omit<ClusterAskRow, 'answered'>): void {
    this.#statements.addAsk.run(turn, host, JSON.stringify(chain), refusal)
  }

  answered(turn: string): void {
    this.#statements.answered.run(turn)
  }

  /** Asks whose end the asking host does not have yet. */
  unanswered(): ClusterAskRow[] {
    return this.#statements.unanswered.all().map(toAsk)
  }
}

function toAsk(row: Readonly<Record<string, unknown>>): ClusterAskRow {
  return {
    turn: String(row['turn']),
    host: String(row['host']),
    chain: JSON.parse(String(row['chain'])),
    refusal: row['refusal'] as string | null,
    answered: row['answered'] === 1,
  }
}

function prepare(database: DatabaseSync) {
  const columns = 'turn, host, chain, refusal, answered'
  return {
    hosts: database.prepare('SELECT name, key, entry, seen_at AS seenAt FROM cluster_hosts ORDER BY name'),
    keyOf: database.prepare('SELECT key FROM cluster_hosts WHERE name = ?'),
    putHost: database.prepare(
      `INSERT INTO cluster_hosts (name, key, entry, seen_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET entry = excluded.entry, seen_at = excluded.seen_at`,
    ),
    removeHost: database.prepare('DELETE FROM cluster_hosts WHERE name = ?'),
    ask: database.prepare(`SELECT ${columns} FROM cluster_asks WHERE turn = ?`),
    addAsk: database.prepare('INSERT INTO cluster_asks (turn, host, chain, refusal) VALUES (?, ?, ?, ?)'),
    answered: database.prepare('UPDATE cluster_asks SET answered = 1 WHERE turn = ?'),
    unanswered: database.prepare(`SELECT ${columns} FROM cluster_asks WHERE answered = 0`),
  }
}
