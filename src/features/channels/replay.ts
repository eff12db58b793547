import type { ChannelConfig } from '../../platform/config/config.ts'
import { askTeam } from './ask-team.ts'
import { commandIn } from './commands.ts'
import type { ChannelsParts } from './parts.ts'

/** How many messages one call replays. More would fill the queues of their conversations. */
const maxReplayed = 50

/**
 * Answers a channel's oldest skipped messages in order, each at most once. Their files were not kept. Stops at the
 * first message that cannot be asked now.
 */
export async function replaySkipped(
  channel: ChannelConfig,
  parts: Pick<ChannelsParts, 'clock' | 'posts' | 'log' | 'sessions' | 'turns' | 'messages'>,
): Promise<{ readonly replayed: number; readonly left: number; readonly chats: ReadonlySet<string> }> {
  const { messages } = parts
  const chats = new Set<string>()
  let replayed = 0
  for (const row of messages.skipped(channel.name, maxReplayed)) {
    const { source, updateId, chat, messageId } = row
    const text = row.text ?? ''
    if (commandIn(text.trim()) !== undefined) {
      messages.replayed(source, updateId, 'handled', null, null)
      continue
    }
    const refusal = await askTeam(channel, { chat, updateId, messageId, text, files: [] }, parts, (turn, note) =>
      messages.replayed(source, updateId, 'asked', turn, note),
    )
    if (refusal !== undefined) break
    replayed += 1
    chats.add(chat)
  }
  return { replayed, left: messages.counts(channel.name).skipped, chats }
}
