import type { DatabaseSync } from 'node:sqlite'
import type { Pair } from '../../../base/protocol/pair.ts'
import { transaction } from '../../../platform/store/database.ts'
import type { Store } from '../../../platform/store/store.ts'

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
  /** As it last announced itself, JSON; `{}`: it is known from an invitation alone. */
  readonly entry: string
  readonly seenAt: number
  /** Of its last announcement; null: it has signed none. */
  readonly count: number | null
}

/** A host that has a team together with the host in the full name of that team. */
export interface ClusterMemberRow {
  readonly team: string
  readonly host: string
  readonly since: number
}

/** A cancel that its host has not confirmed. */
export interface ClusterCancelRow {
  readonly turn: string
  readonly host: string
  readonly detail: string
  readonly at: number
}

/** A conversation that went from one host to another. */
export interface ClusterMoveRow extends Pair {
  readonly at: number
  /** This host took it, lost it, or sends its own message to the other host. */
  readonly kind: 'taken' | 'lost' | 'sent'
  readonly formerHost: string
  readonly host: string
}

/** The tables whose names begin with `cluster_`. */
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

  /** The key by which the host of this name is known, and the count of its last announcement. */
  hostKey(name: string): Pick<ClusterHostRow, 'key' | 'count'> | undefined {
    return this.#statements.hostKey.get(name) as Pick<ClusterHostRow, 'key' | 'count'> | undefined
  }

  /** Keeps the key that was there before. Waits for no disk: a host announces itself again. */
  putHost({ name, key, entry, seenAt, count }: ClusterHostRow): void {
    this.#store.withoutSync(() => this.#statements.putHost.run(name, key, entry, seenAt, count))
  }

  /** Believes this key from now on, in place of any other one. `signs`: announcements without a signature are refused. */
  pinHost(name: string, key: string, signs: boolean): void {
    if (this.hostKey(name)?.key !== key) this.#statements.pinHost.run(name, key, signs ? 0 : null)
  }

  /** No announcement of this host has a greater count. */
  mostCount(): number {
    return Number(this.#statements.mostCount.get()?.['most'] ?? 0)
  }

  /** Waits for no disk: the time is a count too. */
  putMostCount(most: number): void {
    this.#store.withoutSync(() => this.#statements.putMostCount.run(most))
  }

  members(): ClusterMemberRow[] {
    return this.#statements.members.all() as unknown as ClusterMemberRow[]
  }

  addMember({ team, host, since }: ClusterMemberRow): void {
    this.#statements.addMember.run(team, host, since)
  }

  /** Also what still waits for it to confirm. */
  removeHost(name: string): void {
    this.#statements.removeHost.run(name)
    this.#statements.removeCancels.run(name)
    this.#statements.removeMembers.run(name, `%@${name}`)
  }

  /** The same for many, with one commit. */
  removeHosts(names: readonly string[]): void {
    transaction(this.#store, () => {
      for (const name of names) this.removeHost(name)
    })
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

  /** Turns with reports that the asking host does not have yet. */
  unreported(): string[] {
    return this.#statements.unreported.all().map(({ turn }) => String(turn))
  }

  /** This host asks that one to answer its turn. It does not wait for the disk: a host that shares the team is believed without it too. */
  addAsked(turn: string, host: string): void {
    this.#store.withoutSync(() => {
      this.#statements.addAsked.run(turn, host)
      this.#statements.forgetAsked.run()
    })
  }

  /** The hosts asked for the turn, the last one last. */
  asked(turn: string): string[] {
    return this.#statements.asked.all(turn).map(({ host }) => String(host))
  }

  /** The turn has ended. */
  removeAsked(turn: string): void {
    this.#store.withoutSync(() => this.#statements.removeAsked.run(turn))
  }

  /** The last ones are kept. */
  addMove({ at, kind, from, to, thread, formerHost, host }: ClusterMoveRow): void {
    this.#statements.addMove.run(at, kind, from, to, thread, formerHost, host)
    this.#statements.forgetMoves.run()
  }

  /** The newest first. */
  moves(): ClusterMoveRow[] {
    return this.#statements.moves.all() as unknown as ClusterMoveRow[]
  }

  addCancel({ turn, host, detail, at }: ClusterCancelRow): void {
    this.#statements.addCancel.run(turn, host, detail, at)
  }

  /** The host has confirmed it. */
  removeCancel(turn: string, host: string): void {
    this.#statements.removeCancel.run(turn, host)
  }

  /** Forgets those before that time. */
  cancels(since: number): ClusterCancelRow[] {
    this.#statements.forgetCancels.run(since)
    return this.#statements.cancels.all() as unknown as ClusterCancelRow[]
  }
}

const mostMoves = 100
/** What turns that ended in another way left behind. */
const mostAsked = 10_000

function toAsk(row: Readonly<Record<string, unknown>>): ClusterAskRow {
  return {
    turn: String(row['turn']),
    host: String(row['host']),
    chain: JSON.parse(String(row['chain'])),
    refusal: row['refusal'] as string | null,
    answered: row['answered'] === 1,
  }
}

function prepareHosts(database: DatabaseSync) {
  return {
    hosts: database.prepare('SELECT name, key, entry, seen_at AS seenAt, count FROM cluster_hosts ORDER BY name'),
    hostKey: database.prepare('SELECT key, count FROM cluster_hosts WHERE name = ?'),
    putHost: database.prepare(
      `INSERT INTO cluster_hosts (name, key, entry, seen_at, count) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET entry = excluded.entry, seen_at = excluded.seen_at, count = excluded.count`,
    ),
    pinHost: database.prepare(
      `INSERT OR REPLACE INTO cluster_hosts (name, key, entry, seen_at, count) VALUES (?, ?, '{}', 0, ?)`,
    ),
    mostCount: database.prepare('SELECT most FROM cluster_count'),
    putMostCount: database.prepare('INSERT OR REPLACE INTO cluster_count (id, most) VALUES (1, ?)'),
    members: database.prepare('SELECT team, host, since FROM cluster_members'),
    addMember: database.prepare(
      'INSERT INTO cluster_members (team, host, since) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    removeMembers: database.prepare('DELETE FROM cluster_members WHERE host = ? OR team LIKE ?'),
  }
}

function prepare(database: DatabaseSync) {
  const columns = 'turn, host, chain, refusal, answered'
  return {
    ...prepareHosts(database),
    removeHost: database.prepare('DELETE FROM cluster_hosts WHERE name = ?'),
    ask: database.prepare(`SELECT ${columns} FROM cluster_asks WHERE turn = ?`),
    addAsk: database.prepare('INSERT INTO cluster_asks (turn, host, chain, refusal) VALUES (?, ?, ?, ?)'),
    answered: database.prepare('UPDATE cluster_asks SET answered = 1 WHERE turn = ?'),
    unanswered: database.prepare(`SELECT ${columns} FROM cluster_asks WHERE answered = 0`),
    unreported: database.prepare(
      `SELECT DISTINCT turn FROM reports WHERE read_at IS NULL AND text <> '' AND turn IN (SELECT turn FROM cluster_asks)`,
    ),
    addAsked: database.prepare('INSERT OR REPLACE INTO cluster_asked (turn, host) VALUES (?, ?)'),
    forgetAsked: database.prepare(
      `DELETE FROM cluster_asked WHERE sequence <= (SELECT max(sequence) FROM cluster_asked) - ${mostAsked}`,
    ),
    asked: database.prepare('SELECT host FROM cluster_asked WHERE turn = ? ORDER BY sequence'),
    removeAsked: database.prepare('DELETE FROM cluster_asked WHERE turn = ?'),
    addMove: database.prepare(
      `INSERT INTO cluster_moves (at, kind, from_team, to_team, thread, former_host, host) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ),
    forgetMoves: database.prepare(
      `DELETE FROM cluster_moves WHERE sequence <= (SELECT max(sequence) FROM cluster_moves) - ${mostMoves}`,
    ),
    moves: database.prepare(
      `SELECT at, kind, from_team AS "from", to_team AS "to", thread, former_host AS formerHost, host
       FROM cluster_moves ORDER BY sequence DESC`,
    ),
    addCancel: database.prepare(
      'INSERT INTO cluster_cancels (turn, host, detail, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    removeCancel: database.prepare('DELETE FROM cluster_cancels WHERE turn = ? AND host = ?'),
    removeCancels: database.prepare('DELETE FROM cluster_cancels WHERE host = ?'),
    forgetCancels: database.prepare('DELETE FROM cluster_cancels WHERE at < ?'),
    cancels: database.prepare('SELECT turn, host, detail, at FROM cluster_cancels'),
  }
}
