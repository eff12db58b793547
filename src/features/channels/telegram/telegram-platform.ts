import { type Api, GrammyError, HttpError, InputFile } from 'grammy'
import { DownloadFailure, download } from '../../../base/lib/download.ts'
import { buttonValue, type ChatButtons, ChatFailure, type ChatPlatform, connectionFailure } from '../chat-platform.ts'
import { type EntityText, entityText } from './entities.ts'

/** Telegram's limit for texts. They are sent without a `parse_mode`, so nothing that an agent writes becomes markup. */
const maxPostCharacters = 4096
/** The pause after a refused token, because the owner may correct the token. */
const tokenPauseMs = 30_000
/** Telegram accepts about one edit per second in a chat, and 20 posts per minute in a group (an id with a sign). */
const streamEveryMs = 1000
const streamInGroupsEveryMs = 3000

const isGone = /message to edit not found|message can't be edited|MESSAGE_ID_INVALID/i
const isFormat = /entit|parse/i
const isSame = /message is not modified/i

interface TelegramPlatformParts {
  readonly token: string
  readonly apiRoot: string
  /** Makes each request on a new connection. */
  readonly freshly: Api
  /** If undefined, Node.js's own `fetch` is used. */
  readonly fetch: typeof globalThis.fetch | undefined
}

/** Posts in the chats of one bot. */
export function telegramPlatform(api: Api, { token, apiRoot, freshly, fetch }: TelegramPlatformParts): ChatPlatform {
  const plain = { link_preview_options: { is_disabled: true } }
  return {
    longestText: maxPostCharacters,
    lengthOf: (text) => text.length,
    streamEveryMs: (channelId) => (channelId.startsWith('-') ? streamInGroupsEveryMs : streamEveryMs),
    // Telegram neither recognizes a repetition nor lists a bot's posts.
    postOnce: async () => undefined,
    async post({ channelId, text, isMarkdown, mayRepeat, replyTo, buttons, file }) {
      const [chat = '', topic] = channelId.split('/')
      // On a kept connection that Telegram has closed meanwhile, nobody could tell whether the request arrived.
      const by = mayRepeat ? api : freshly
      const reply = { message_id: Number(replyTo), allow_sending_without_reply: true }
      const other = {
        ...plain,
        ...(topic !== undefined && { message_thread_id: Number(topic) }),
        ...(replyTo !== undefined && { reply_parameters: reply }),
        ...(buttons !== undefined && { reply_markup: keyboard(buttons) }),
      }
      if (file !== undefined) {
        const { link_preview_options: _, ...around } = { ...other, disable_content_type_detection: true }
        // grammY does not quote the name, which may contain spaces but no quotes.
        const document = new InputFile(file.content, `"${file.name}"`)
        return String((await by.sendDocument(chat, document, around).catch(asFailure)).message_id)
      }
      return formatted(text, isMarkdown, async (said) => {
        const { message_id: id } = await by.sendMessage(chat, said.text, { ...other, entities: said.entities })
        return String(id)
      })
    },
    async react(channelId, messageId, reaction) {
      const [chat = ''] = channelId.split('/')
      const emoji = reaction as '👍'
      await api.setMessageReaction(chat, Number(messageId), [{ type: 'emoji', emoji }]).catch(asFailure)
    },
    async typing(channelId) {
      const [chat = '', topic] = channelId.split('/')
      await api.sendChatAction(chat, 'typing', topic === undefined ? {} : { message_thread_id: Number(topic) })
    },
    async download(place, mostBytes, signal) {
      const { file_path: path = '' } = await api.getFile(place).catch(asDownloadFailure)
      const address = `${apiRoot}/file/bot${token}/${path.split('/').map(encodeURIComponent).join('/')}`
      return download(address, { origins: [new URL(apiRoot).origin], mostBytes, signal, fetch })
    },
    history: async () => undefined,
    async edit(channelId, messageId, text, isMarkdown) {
      const [chat = ''] = channelId.split('/')
      await formatted(text, isMarkdown, async (said) => {
        const other = { ...plain, entities: said.entities }
        await api.editMessageText(chat, Number(messageId), said.text, other).catch((error: unknown) => {
          if (!(error instanceof GrammyError && isSame.test(error.description))) throw error
        })
      })
    },
  }
}

/** Sends an answer with Telegram's entities, or as it was written if Telegram refuses them. Throws ChatFailure. */
async function formatted<Sent>(
  text: string,
  isMarkdown: boolean,
  send: (said: EntityText) => Promise<Sent>,
): Promise<Sent> {
  const written = { text, entities: [] }
  const said = isMarkdown ? entityText(text, maxPostCharacters) : undefined
  if (said === undefined) return send(written).catch(asFailure)
  return send(said).catch((error: unknown) =>
    error instanceof GrammyError && error.error_code === 400 && isFormat.test(error.description)
      ? send(written).catch(asFailure)
      : asFailure(error),
  )
}

function keyboard({ token, canAllow }: ChatButtons) {
  const deny = { text: 'Deny', callback_data: buttonValue(token, 'deny') }
  const allow = { text: 'Allow once', callback_data: buttonValue(token, 'allow') }
  return { inline_keyboard: [canAllow ? [allow, deny] : [deny]] }
}

function asDownloadFailure(error: unknown): never {
  const { kind, message } = failureOf(error)
  throw new DownloadFailure(message, kind === 'later' || kind === 'unknown')
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
    const { migrate_to_chat_id: movedTo } = parameters
    if (movedTo !== undefined) return new ChatFailure('never', description, 0, String(movedTo))
    return new ChatFailure(isGone.test(description) ? 'gone' : 'never', description)
  }
  return error instanceof HttpError ? connectionFailure(error.error) : new ChatFailure('unknown', 'the request failed')
}
