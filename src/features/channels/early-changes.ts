import type { ChatChange, ChatMessage } from './chat-message.ts'
import { commandIn } from './commands.ts'

/** Changes of messages that have not come; more are forgotten, the oldest first. */
const maxKept = 200

type Where = Pick<ChatChange, 'channelId' | 'messageId'>

/**
 * Edits and deletions that arrive before their message: platforms redeliver a message that Iris could not store, but
 * report its changes only once. Kept in memory: a restart forgets them.
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

  /** The message as it is now; undefined: it was deleted. What it refers to stays as it was written. */
  applied(source: string, message: ChatMessage): ChatMessage | undefined {
    const change = this.#kept.get(keyOf(source, message))
    if (change === undefined) return message
    const { now } = change
    if (now === undefined) return undefined
    // A command stays a command after an edit.
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
