import { IrisError } from '../../base/protocol/error.ts'
import type { ChannelConfig } from '../../platform/config/config.ts'
import { type ChatMessage, chatOf, shownName } from './chat-message.ts'
import type { ChatPlatform } from './chat-platform.ts'
import type { ChannelsParts } from './parts.ts'
import { codeValidMs, maxCodes, pairingCode } from './sender-admission.ts'

type PairingParts = Pick<ChannelsParts, 'people' | 'posts' | 'clock' | 'random' | 'messages' | 'log'>

/** Gives pairing codes to strangers, and admits a person once the owner approves their code. */
export class Pairing {
  readonly #parts: PairingParts

  constructor(parts: PairingParts) {
    this.#parts = parts
  }

  /**
   * Posts a pairing code to a stranger, for the owner to approve. A person gets one code, and no other reply until it
   * expires. `record` stores the message; `nameOf` asks the platform for the person's name.
   */
  async offer(
    { name: source, platform }: ChannelConfig,
    message: ChatMessage,
    record: () => void,
    nameOf?: ChatPlatform['nameOf'],
  ): Promise<void> {
    const { people, clock, random, messages, posts, log } = this.#parts
    const now = clock.now()
    people.expire(source, now - codeValidMs)
    const open = people.list(source).filter(({ code }) => code !== null)
    const { senderId: sender } = message
    if (open.length >= maxCodes || open.some((one) => one.sender === sender)) return
    // If the platform gives no name, the owner sees the id.
    const called = (await nameOf?.(sender).catch(() => undefined)) ?? message.senderName
    const [code, name, chat] = [pairingCode(random), shownName(called), chatOf(platform, message.channelId)]
    messages.atomically(() => {
      people.put({ source, sender, name, chat, code, since: now })
      record()
      const how = `The owner of this bot has to approve you: iris channels pair ${source} ${code}`
      const text = `${how}\nThe code is valid for an hour.`
      posts.add({ source, chat, turn: null, text, replyTo: message.messageId, createdAt: now })
    })
    log.info(`somebody is asking to talk in ${source}: ${name} (${sender})`)
  }

  /** Admits the person who was shown this code, and returns the chat to notify. Throws `invalid_input`. */
  admit(source: string, code: string): { readonly sender: string; readonly name: string; readonly chat: string } {
    const { people, posts, clock } = this.#parts
    people.expire(source, clock.now() - codeValidMs)
    const person = people.list(source).find((one) => one.code !== null && one.code === code.trim().toUpperCase())
    if (person === undefined) {
      throw new IrisError(
        'invalid_input',
        'The bot did not give anybody this code, or the code is more than an hour old.',
        '"iris channels list" shows who is waiting. A person who writes to the bot again gets a new code.',
      )
    }
    people.put({ ...person, code: null, since: clock.now() })
    const { chat, sender, name } = person
    const text = 'You can talk here now.'
    posts.add({ source, chat, turn: null, text, replyTo: null, createdAt: clock.now() })
    return { sender, name, chat }
  }
}
