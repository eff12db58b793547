import type { DatabaseSync } from 'node:sqlite'
import { number, type RowOf, Table, text } from '../../../platform/store/table.ts'

/** People who may talk in a channel, or who have asked to. */
export const channelPeople = new Table('channel_people', {
  source: text(),
  /** The platform's numeric id. */
  sender: text(),
  /** The name that the platform shows; people can choose any name. */
  name: text(),
  chat: text(),
  /** The pairing code; null once the person is allowed. */
  code: text<string | null>(),
  /** Milliseconds since the epoch. */
  since: number(),
})

export interface ChannelPersonRow extends RowOf<typeof channelPeople> {}

/** The table `channel_people`. */
export class ChannelPeople {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      find: channelPeople.select(database, 'FROM channel_people WHERE source = ? AND sender = ?'),
      put: channelPeople.insert(
        database,
        channelPeople.columns,
        `ON CONFLICT (source, sender) DO UPDATE SET name = excluded.name, chat = excluded.chat, code = excluded.code,
           since = excluded.since`,
      ),
      remove: database.prepare('DELETE FROM channel_people WHERE source = ? AND sender = ?'),
      expire: database.prepare('DELETE FROM channel_people WHERE source = ? AND code IS NOT NULL AND since <= ?'),
      list: channelPeople.select(database, 'FROM channel_people WHERE source = ? ORDER BY since'),
    }
  }

  find(source: string, sender: string): ChannelPersonRow | undefined {
    return this.#statements.find.get(source, sender)
  }

  put(person: ChannelPersonRow): void {
    this.#statements.put.run(person)
  }

  /** Returns whether the person had a row. */
  remove(source: string, sender: string): boolean {
    return Number(this.#statements.remove.run(source, sender).changes) > 0
  }

  /** Deletes the people with a pairing code from this time or earlier; milliseconds since the epoch. */
  expire(source: string, before: number): void {
    this.#statements.expire.run(source, before)
  }

  list(source: string): ChannelPersonRow[] {
    return this.#statements.list.all(source)
  }
}
