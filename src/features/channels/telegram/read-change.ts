import type { ChatChange } from '../chat-message.ts'
import { isNotice } from './content.ts'
import { asWritten, isForAnother } from './read-message.ts'
import type { Me, TelegramMessage } from './telegram-message.ts'

/** A service message in the old and in the new chat of a group that became a supergroup. No person can write one. */
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

/** An edit, as its own update. Telegram tells bots nothing of deletions. */
export function readEdit(updateId: number, message: TelegramMessage, me: Me): ChatChange | undefined {
  const now = isNotice(message) ? undefined : asWritten(updateId, message, me)
  if (now === undefined) return undefined
  // Updates arrive in order. An edited message that is for another bot now has no words for this one.
  return { ...now, version: updateId, now: isForAnother(message, me) ? { ...now, text: '', quotes: [] } : now }
}
