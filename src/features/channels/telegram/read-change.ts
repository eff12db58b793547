import type { ChatChange } from '../chat-message.ts'
import { isNotice } from './content.ts'
import { asWritten, isForAnother } from './read-message.ts'
import type { Me, TelegramMessage } from './telegram-message.ts'

/**
 * A service message in both the old and the new chat when a group becomes a supergroup. No person can write such a
 * message.
 */
export interface Migration {
  readonly chat: { readonly id: number }
  readonly migrate_to_chat_id?: number | undefined
  readonly migrate_from_chat_id?: number | undefined
}

export function moveIn(message: Migration): { readonly from: string; readonly to: string } | undefined {
  const { chat, migrate_to_chat_id: to, migrate_from_chat_id: from } = message
  if (to !== undefined) return { from: String(chat.id), to: String(to) }
  return from === undefined ? undefined : { from: String(from), to: String(chat.id) }
}

/** An edit, which arrives as an update of its own. Telegram does not report deletions to bots. */
export function readEdit(updateId: number, message: TelegramMessage, me: Me): ChatChange | undefined {
  const now = isNotice(message) ? undefined : asWritten(updateId, message, me)
  if (now === undefined) return undefined
  // Updates arrive in order. If the edited message now addresses another bot, it has no words for this one.
  return { ...now, version: updateId, now: isForAnother(message, me) ? { ...now, text: '', quotes: [] } : now }
}
