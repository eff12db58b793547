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
  /** How the ask was refused, as JSON; null if it was accepted and has a turn. */
  refusal: text<string | null>(),
  /** Whether the end is in the asking host's mailbox. */
  answered: flag(),
})

export const clusterHosts = new Table('cluster_hosts', {
  name: text(),
  /** The known public key: from an invitation, or the first one that the host announced. */
  key: text(),
  /** The host's last announcement, as JSON; `{}` if the host is known only from an invitation. */
  entry: text(),
  seenAt: number(),
  /** The count of the host's last announcement; null if the host has signed none. */
  count: number<number | null>(),
})

/** Hosts that share a team with the host in the team's full name. */
export const clusterMembers = new Table('cluster_members', { team: text(), host: text(), since: number() })

/** Cancels that the other hosts have not confirmed. */
export const clusterCancels = new Table('cluster_cancels', {
  turn: text(),
  host: text(),
  detail: text(),
  at: number(),
})

/** Conversations that moved from one host to another. */
export const clusterMoves = new Table('cluster_moves', {
  sequence: number(),
  at: number(),
  /** This host took the conversation over, lost it, or sends its own message to the other host. */
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

  /** The key that is known for the host with this name, and the count of its last announcement. */
  hostKey(name: string): Pick<ClusterHostRow, 'key' | 'count'> | undefined {
    return this.#statements.hostKey.get(name)
  }

  /** A known key stays unchanged. Does not wait for the disk, because the host will announce itself again. */
  putHost(host: ClusterHostRow): void {
    this.#store.withoutSync(() => this.#statements.putHost.run(host))
  }

  /** Trusts only this key for the host from now on. `signs`: announcements without a signature are refused. */
  pinHost(name: string, key: string, signs: boolean): void {
    if (this.hostKey(name)?.key !== key) this.#statements.pinHost.run(name, key, signs ? 0 : null)
  }

  /** The highest count that this host's announcements may have used. */
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

  /** Also removes cancels that the host has not confirmed. */
  removeHost(name: string): void {
    this.#statements.removeHost.run(name)
    this.#statements.removeCancels.run(name)
    this.#statements.removeMembers.run(name, `%@${name}`)
  }

  /** Like `removeHost` for several hosts, in one commit. */
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

  /** Asks for whose end the asking host still waits. */
  unanswered(): ClusterAskRow[] {
    return this.#statements.unanswered.all()
  }

  /** Turns with reports that the asking host does not have yet. */
  unreported(): string[] {
    return this.#statements.unreported.all().map(({ turn }) => String(turn))
  }

  /**
   * Records that this host has asked the other host to answer a turn. Does not wait for the disk, because a host that
   * shares the team is trusted without this row too.
   */
  addAsked(turn: string, host: string): void {
    this.#store.withoutSync(() => {
      this.#statements.addAsked.run(turn, host)
      this.#statements.forgetAsked.run()
    })
  }

  /** The hosts that were asked to answer the turn, the latest one last. */
  asked(turn: string): string[] {
    return this.#statements.asked.all(turn).map(({ host }) => String(host))
  }

  /** Called when the turn has ended. */
  removeAsked(turn: string): void {
    this.#store.withoutSync(() => this.#statements.removeAsked.run(turn))
  }

  /** Only the newest moves are kept. */
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

  /** Called when the host has confirmed the cancel. */
  removeCancel(turn: string, host: string): void {
    this.#statements.removeCancel.run(turn, host)
  }

  /** The unconfirmed cancels. Deletes those from before `since`. */
  cancels(since: number): ClusterCancelRow[] {
    this.#statements.forgetCancels.run(since)
    return this.#statements.cancels.all()
  }
}

const maxMoves = 100
/** The limit for rows that were left over because the end of their turns did not remove them. */
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
