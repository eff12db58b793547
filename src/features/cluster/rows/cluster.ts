import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../../platform/store/database.ts'
import { sessions } from '../../../platform/store/sessions.ts'
import type { Store } from '../../../platform/store/store.ts'
import { flag, json, number, type RowOf, Selection, Table, text } from '../../../platform/store/table.ts'

/** Asks that came from other hosts. */
export const clusterAsks = new Table('cluster_asks', {
  turn: text(),
  host: text(),
  /** The earlier askers, the first one first. */
  chain: json<readonly string[]>(),
  /** How it was refused, JSON; null: it was accepted, and there is a turn. */
  refusal: text<string | null>(),
  /** Whether the mailbox of the asking host has the end. */
  answered: flag(),
})

export const clusterHosts = new Table('cluster_hosts', {
  name: text(),
  /** The public key that this host first announced. */
  key: text(),
  /** Its last announcement, JSON; `{}`: it is known only from an invitation. */
  entry: text(),
  seenAt: number(),
  /** The number of its last announcement; null: it has signed none. */
  count: number<number | null>(),
})

/** Hosts that have a team together with the host in the full name of that team. */
export const clusterMembers = new Table('cluster_members', { team: text(), host: text(), since: number() })

/** Cancels that their hosts have not confirmed. */
export const clusterCancels = new Table('cluster_cancels', {
  turn: text(),
  host: text(),
  detail: text(),
  at: number(),
})

/** Conversations that went from one host to another. */
export const clusterMoves = new Table('cluster_moves', {
  sequence: number(),
  at: number(),
  /** This host took it, lost it, or sends its own message to the other host. */
  kind: text<'taken' | 'lost' | 'sent'>(),
  ...sessions.pick('from', 'to', 'thread'),
  formerHost: text(),
  host: text(),
})

const move = new Selection(clusterMoves.omit('sequence'))

const hostKey = new Selection(clusterHosts.pick('key', 'count'))

export interface ClusterAskRow extends RowOf<typeof clusterAsks> {}

export interface ClusterHostRow extends RowOf<typeof clusterHosts> {}

export interface ClusterMemberRow extends RowOf<typeof clusterMembers> {}

export interface ClusterCancelRow extends RowOf<typeof clusterCancels> {}

export interface ClusterMoveRow extends RowOf<typeof move> {}

/** The tables whose names begin with `cluster_`. */
export class ClusterRows {
  readonly #statements
  readonly #store: Store

  constructor(database: Store) {
    this.#store = database
    this.#statements = prepare(database)
  }

  hosts(): ClusterHostRow[] {
    return this.#statements.hosts.all()
  }

  /** The key by which the host of this name is known, and the count of its last announcement. */
  hostKey(name: string): Pick<ClusterHostRow, 'key' | 'count'> | undefined {
    return this.#statements.hostKey.get(name)
  }

  /** Keeps the key that was there before. Waits for no disk: a host announces itself again. */
  putHost(host: ClusterHostRow): void {
    this.#store.withoutSync(() => this.#statements.putHost.run(host))
  }

  /** Believes this key from now on, in place of any other one. `signs`: announcements without a signature are refused. */
  pinHost(name: string, key: string, signs: boolean): void {
    if (this.hostKey(name)?.key !== key) this.#statements.pinHost.run(name, key, signs ? 0 : null)
  }

  /** No announcement of this host has a greater count. */
  mostCount(): number {
    return Number(this.#statements.mostCount.get()?.['most'] ?? 0)
  }

  /** Does not wait for the disk: counts follow the clock anyway. */
  putMostCount(most: number): void {
    this.#store.withoutSync(() => this.#statements.putMostCount.run(most))
  }

  members(): ClusterMemberRow[] {
    return this.#statements.members.all()
  }

  addMember(member: ClusterMemberRow): void {
    this.#statements.addMember.run(member)
  }

  /** Includes messages still waiting for its confirmation. */
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
    return this.#statements.ask.get(turn)
  }

  /** Throws if there is a row for this turn. */
  addAsk(ask: Omit<ClusterAskRow, 'answered'>): void {
    this.#statements.addAsk.run(ask)
  }

  answered(turn: string): void {
    this.#statements.answered.run(turn)
  }

  /** Asks whose end the asking host does not have yet. */
  unanswered(): ClusterAskRow[] {
    return this.#statements.unanswered.all()
  }

  /** Turns with reports that the asking host does not have yet. */
  unreported(): string[] {
    return this.#statements.unreported.all().map(({ turn }) => String(turn))
  }

  /**
   * Notes that this host asks that one to answer its turn. Does not wait for the disk: a host that shares the team is
   * trusted without this row too.
   */
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
  addMove(moved: ClusterMoveRow): void {
    this.#statements.addMove.run(moved)
    this.#statements.forgetMoves.run()
  }

  /** The newest first. */
  moves(): ClusterMoveRow[] {
    return this.#statements.moves.all()
  }

  addCancel(cancel: ClusterCancelRow): void {
    this.#statements.addCancel.run(cancel)
  }

  /** The host has confirmed it. */
  removeCancel(turn: string, host: string): void {
    this.#statements.removeCancel.run(turn, host)
  }

  /** Forgets those before that time. */
  cancels(since: number): ClusterCancelRow[] {
    this.#statements.forgetCancels.run(since)
    return this.#statements.cancels.all()
  }
}

const maxMoves = 100
/** Leftovers of turns that ended in another way. */
const maxAsked = 10_000

function prepareHosts(database: DatabaseSync) {
  return {
    hosts: clusterHosts.select(database, 'FROM cluster_hosts ORDER BY name'),
    hostKey: hostKey.select(database, 'FROM cluster_hosts WHERE name = ?'),
    putHost: clusterHosts.insert(
      database,
      clusterHosts.columns,
      'ON CONFLICT (name) DO UPDATE SET entry = excluded.entry, seen_at = excluded.seen_at, count = excluded.count',
    ),
    pinHost: database.prepare(
      `INSERT OR REPLACE INTO cluster_hosts (name, key, entry, seen_at, count) VALUES (?, ?, '{}', 0, ?)`,
    ),
    mostCount: database.prepare('SELECT most FROM cluster_count'),
    putMostCount: database.prepare('INSERT OR REPLACE INTO cluster_count (id, most) VALUES (1, ?)'),
    members: clusterMembers.select(database, 'FROM cluster_members'),
    addMember: clusterMembers.insert(database, clusterMembers.columns, 'ON CONFLICT DO NOTHING'),
    removeMembers: database.prepare('DELETE FROM cluster_members WHERE host = ? OR team LIKE ?'),
  }
}

function prepare(database: DatabaseSync) {
  return {
    ...prepareHosts(database),
    removeHost: database.prepare('DELETE FROM cluster_hosts WHERE name = ?'),
    ask: clusterAsks.select(database, 'FROM cluster_asks WHERE turn = ?'),
    addAsk: clusterAsks.insert(database, clusterAsks.omit('answered')),
    answered: database.prepare('UPDATE cluster_asks SET answered = 1 WHERE turn = ?'),
    unanswered: clusterAsks.select(database, 'FROM cluster_asks WHERE answered = 0'),
    unreported: database.prepare(
      `SELECT DISTINCT turn FROM reports WHERE read_at IS NULL AND text <> '' AND turn IN (SELECT turn FROM cluster_asks)`,
    ),
    addAsked: database.prepare('INSERT OR REPLACE INTO cluster_asked (turn, host) VALUES (?, ?)'),
    forgetAsked: database.prepare(
      `DELETE FROM cluster_asked WHERE sequence <= (SELECT max(sequence) FROM cluster_asked) - ${maxAsked}`,
    ),
    asked: database.prepare('SELECT host FROM cluster_asked WHERE turn = ? ORDER BY sequence'),
    removeAsked: database.prepare('DELETE FROM cluster_asked WHERE turn = ?'),
    addMove: clusterMoves.insert(database, move.columns),
    forgetMoves: database.prepare(
      `DELETE FROM cluster_moves WHERE sequence <= (SELECT max(sequence) FROM cluster_moves) - ${maxMoves}`,
    ),
    moves: move.select(database, 'FROM cluster_moves ORDER BY sequence DESC'),
    addCancel: clusterCancels.insert(database, clusterCancels.columns, 'ON CONFLICT DO NOTHING'),
    removeCancel: database.prepare('DELETE FROM cluster_cancels WHERE turn = ? AND host = ?'),
    removeCancels: database.prepare('DELETE FROM cluster_cancels WHERE host = ?'),
    forgetCancels: database.prepare('DELETE FROM cluster_cancels WHERE at < ?'),
    cancels: clusterCancels.select(database, 'FROM cluster_cancels'),
  }
}
