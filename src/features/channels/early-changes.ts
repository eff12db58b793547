import type { ChatChange, ChatMessage } from './chat-message.ts'
import { commandIn } from './commands.ts'

/** The limit for changes to messages that have not arrived; beyond it, the oldest changes are forgotten. */
const maxKept = 200

type Where = Pick<ChatChange, 'channelId' | 'messageId'>

/**
 * Edits and deletions that arrive before their message. Platforms redeliver a message that Iris could not store, but
 * report changes to it only once. Kept in memory, so a restart forgets them.
 */
export class EarlyChanges {
  readonly #kept = new Map<string, ChatChange>()

  keep(source: string, change: ChatChange): void {
    const key = keyOf(source, change)
    const known = this.#kept.get(key)
    if (known !== undefined && !isLater(change, known)) return
    this.#kept.delete(key)
    this.#kept.set(key, change)
    for (const oldest of this.#kept.keys()) if (this.#kept.size > maxKept) this.#kept.delete(oldest)
  }

  /** The message after its changes; undefined if it was deleted. Quoted messages stay as they were. */
  applied(source: string, message: ChatMessage): ChatMessage | undefined {
    const change = this.#kept.get(keyOf(source, message))
    if (change === undefined) return message
    const { now } = change
    if (now === undefined) return undefined
    // A command remains a command after an edit.
    if (now.senderId !== message.senderId || commandIn(message.text.trim()) !== undefined) return message
    const left = [...(message.left ?? []), ...(now.left ?? [])]
    return { ...message, text: now.text, files: now.files, left }
  }
}

function keyOf(source: string, { channelId, messageId }: Where): string {
  return [source, channelId, messageId].join('\0')
}

function isLater(change: ChatChange, known: ChatChange): boolean {
  return known.now !== undefined && (change.now === undefined || change.version >= known.version)
}
