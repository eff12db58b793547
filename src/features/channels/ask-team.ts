import { isUnseen } from '../../base/lib/visible.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { mainThread, type Pair } from '../../base/protocol/pair.ts'
import { roleThread } from '../../base/protocol/role.ts'
import type { AttachedFile, ChatSender } from '../../kernel/turn/ask.ts'
import type { ChannelConfig } from '../../platform/config/config.ts'
import type { ChannelsParts } from './parts.ts'

/** Temporary errors: the message is kept, and Iris asks again. */
const mayPass = new Set(['store_unavailable', 'shutting_down'])

/** A message from a person who may write to the channel. */
interface Asked {
  readonly chat: string
  readonly updateId: string
  readonly messageId: string
  readonly text: string
  readonly files: readonly AttachedFile[]
  /** Absent if the message waits for its own turn. */
  readonly sender?: ChatSender | undefined
}

/** The conversation of a chat with the channel's team, always with a role. */
export function pairOf({ team, role }: ChannelConfig, chat: string): Pair {
  return { from: chat, to: team, thread: roleThread(role, mainThread) }
}

/** The parts of a message that the team gets. */
export function messageText({ text }: Pick<Asked, 'text'>): string {
  return isUnseen(text) ? '(No text.)' : text.toWellFormed()
}

/**
 * Submits a message as a turn. The turn's post and whatever `record` stores are in the same transaction. Returns the
 * reason for a refusal, in words for the person. Throws temporary IrisErrors.
 */
export async function askTeam(
  channel: ChannelConfig,
  { chat, updateId, messageId, text, files, sender }: Asked,
  { clock, posts, log, sessions, turns }: Pick<ChannelsParts, 'clock' | 'posts' | 'log' | 'sessions' | 'turns'>,
  record: (turnId: string, note: string | null, hasJoined: boolean) => void,
): Promise<string | undefined> {
  const [source, pair] = [channel.name, pairOf(channel, chat)]
  try {
    const note = (await sessions.ready(pair, channel)) ?? null
    const turn = await turns.ask({
      pair: { ...pair, thread: mainThread },
      role: channel.role,
      waits: false,
      parent: undefined,
      ...(files.length > 0 && { attachments: files }),
      message: messageText({ text }),
      // The colon in `from` makes this key differ from all keys of teams and programs.
      idempotencyKey: `${chat}\0${source}\0${updateId}`,
      // Messages with files wait, and so do messages that need their own turn.
      ...(channel.whenBusy === 'steer' && sender && files.length === 0 && { whenBusy: 'steer', sender }),
      // One answer covers all joined messages, so this message has no separate post.
      joining: (turnId) => record(turnId, note, true),
      alongside: (turnId) => {
        record(turnId, note, false)
        posts.add({ source, chat, turn: turnId, text: null, replyTo: messageId, createdAt: clock.now() })
      },
    })
    await turn.durable()
    return undefined
  } catch (error) {
    if (!(error instanceof IrisError) || mayPass.has(error.code)) throw error
    log.warn(`a message in ${source} was refused: ${error.message}`, { code: error.code })
    if (error.code === 'queue_full') return 'too many messages are waiting.'
    if (error.code === 'message_too_long') return 'it is too long.'
    const isOfFiles = error.code === 'not_allowed' && files.length > 0
    return isOfFiles ? 'only pictures and PDF files are read here.' : 'it cannot be answered now.'
  } finally {
    sessions.taken(pair)
  }
}
