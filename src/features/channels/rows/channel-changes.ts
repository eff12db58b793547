import type { DatabaseSync } from 'node:sqlite'
import { type RowOf, Selection, text } from '../../../platform/store/table.ts'
import { channelMessages, message } from './channels.ts'

const changed = new Selection({ ...message.columns, ...channelMessages.pick('lastChange') })

/** A chat that continues under another id. */
const moves = new Selection({ from: text('old_id'), to: text('new_id') })

export interface ChangedMessageRow extends RowOf<typeof changed> {}

export interface ChannelMove extends RowOf<typeof moves> {}

/** Changes to messages and chats after Iris received them. */
export class ChannelChanges {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      find: changed.select(
        database,
        `FROM channel_messages
         WHERE source = ?1 AND message_id = ?2 AND (chat = ?3 OR substr(chat, 1, length(?4)) = ?4)
         ORDER BY received_at DESC LIMIT 1`,
      ),
      changed: database.prepare(
        'UPDATE channel_messages SET last_change = ?, text = COALESCE(?, text) WHERE source = ? AND update_id = ?',
      ),
      move: database.prepare(
        'INSERT OR REPLACE INTO channel_moves (source, old_id, new_id, moved_at) VALUES (?, ?, ?, ?)',
      ),
      moves: moves.select(database, 'FROM channel_moves WHERE source = ? ORDER BY moved_at, old_id'),
    }
  }

  /** The latest message with this platform id in a chat, or in one of the chat's threads. */
  find(source: string, chat: string, messageId: string): ChangedMessageRow | undefined {
    return this.#statements.find.get(source, messageId, chat, `${chat}/`)
  }

  /** Records a change to a message. `text`: the current text, for a message that has no turn of its own. */
  changed({ source, updateId }: ChangedMessageRow, change: number, text: string | null = null): void {
    this.#statements.changed.run(change, text, source, updateId)
  }

  move(source: string, { from, to }: ChannelMove, at: number): void {
    this.#statements.move.run(source, from, to, at)
  }

  /** The earliest move first. */
  moves(source: string): readonly ChannelMove[] {
    return this.#statements.moves.all(source)
  }
}
