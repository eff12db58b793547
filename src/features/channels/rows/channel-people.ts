import type { DatabaseSync } from 'node:sqlite'

/** A person who may talk in a channel, or who has asked to. */
export interface ChannelPersonRow {
  readonly source: string
  /** The platform's numeric id. */
  readonly sender: string
  /** As the platform shows it: anybody can choose any name. */
  readonly name: string
  readonly chat: string
  /** The pairing code; null once the person is allowed. */
  readonly code: string | null
  readonly since: number
}

const columns = 'source, sender, name, chat, code, since'

/** The table `channel_people`. */
export class ChannelPeople {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      find: database.prepare(`SELECT ${columns} FROM channel_people WHERE source = ? AND sender = ?`),
      put: database.prepare(
        `INSERT INTO channel_people (source, sender, name, chat, code, since) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (source, sender) DO UPDATE SET name = excluded.name, chat = excluded.chat, code = excluded.code,
           since = excluded.since`,
      ),
      remove: database.prepare('DELETE FROM channel_people WHERE source = ? AND sender = ?'),
      expire: database.prepare('DELETE FROM channel_people WHERE source = ? AND code IS NOT NULL AND since <= ?'),
      list: database.prepare(`SELECT ${columns} FROM channel_people WHERE source = ? ORDER BY since`),
    }
  }

  find(source: string, sender: string): ChannelPersonRow | undefined {
    return this.#statements.find.get(source, sender) as ChannelPersonRow | undefined
  }

  put({ source, sender, name, chat, code, since }: ChannelPersonRow): void {
    this.#statements.put.run(source, sender, name, chat, code, since)
  }

  /** Returns whether the person had a row. */
  remove(source: string, sender: string): boolean {
    return Number(this.#statements.remove.run(source, sender).changes) > 0
  }

  /** Deletes people with a pairing code from `before`, milliseconds since the epoch, or earlier. */
  expire(source: string, before: number): void {
    this.#statements.expire.run(source, before)
  }

  list(source: string): ChannelPersonRow[] {
    return this.#statements.list.all(source) as unknown as ChannelPersonRow[]
  }
}
