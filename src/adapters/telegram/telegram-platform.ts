import { type Api, GrammyError, HttpError } from 'grammy'
import { ChatFailure, type ChatPlatform } from '../../core/channels/chat-message.ts'

/** Telegram's limit for texts. They are sent without formatting: nothing that an agent writes becomes markup. */
const longestText = 4096
/** Pause after a refused token, since the owner may correct it. */
const tokenPauseMs = 30_000

const notConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH'])
const isGone = /message to edit not found|message can't be edited|MESSAGE_ID_INVALID/i
const isSame = /message is not modified/i

/** Posts in the chats of one bot. */
export function telegramPlatform(api: Pick<Api, 'sendMessage' | 'editMessageText'>): ChatPlatform {
  const plain = { link_preview_options: { is_disabled: true } }
  return {
    longestText,
    async post(channelId, text, replyTo) {
      const [chat = '', topic] = channelId.split('/')
      const reply = { message_id: Number(replyTo), allow_sending_without_reply: true }
      const other = {
        ...plain,
        ...(topic !== undefined && { message_thread_id: Number(topic) }),
        ...(replyTo !== undefined && { reply_parameters: reply }),
      }
      const sent = await api.sendMessage(chat, text, other).catch(asFailure)
      return String(sent.message_id)
    },
    async edit(channelId, messageId, text) {
      const [chat = ''] = channelId.split('/')
      try {
        await api.editMessageText(chat, Number(messageId), text, plain)
      } catch (error) {
        if (error instanceof GrammyError && isSame.test(error.description)) return
        asFailure(error)
      }
    },
  }
}

function asFailure(error: unknown): never {
  throw failureOf(error)
}

export function failureOf(error: unknown): ChatFailure {
  if (error instanceof GrammyError) {
    const { error_code: code, description, parameters } = error
    if (code === 429) return new ChatFailure('later', description, (parameters.retry_after ?? 1) * 1000)
    if (code === 401 || code === 404) return new ChatFailure('later', description, tokenPauseMs)
    if (code >= 500) return new ChatFailure('unknown', description)
    return new ChatFailure(isGone.test(description) ? 'gone' : 'never', description)
  }
  if (!(error instanceof HttpError)) return new ChatFailure('unknown', 'the request failed')
  const { code } = error.error as { code?: string }
  return new ChatFailure(
    code !== undefined && notConnected.has(code) ? 'later' : 'unknown',
    code ?? 'the connection broke',
  )
}
