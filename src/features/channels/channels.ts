import { pause } from '../../base/lib/clock.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import type { ChannelConfig } from '../../platform/config/config.ts'
import { answerOf } from './answer-text.ts'
import { askTeam, pairOf } from './ask-team.ts'
import { CatchUp, type TooOld } from './catch-up.ts'
import { Changes, laterCommand } from './changes.ts'
import { chatFiles, whyFilesRefused } from './chat-files.ts'
import { type ChatChange, type ChatMessage, chatOf, shownName } from './chat-message.ts'
import type { ChatClick, ChatPlatform } from './chat-platform.ts'
import { answerCommand, commandIn } from './commands.ts'
import { shownPieces, wholeAnswer } from './cut-text.ts'
import { type KnownPeople, knownPeople } from './known-people.ts'
import { commandReply, contentOf, notRead, notUnderstood, skippedText } from './message-content.ts'
import { Pairing } from './pairing.ts'
import type { ChannelsParts } from './parts.ts'
import { Poster } from './poster.ts'
import { replaySkipped } from './replay.ts'
import type { ChannelMessageState } from './rows/channels.ts'
import { admit } from './sender-admission.ts'

/** How many waiting messages one person may have. More are refused, so that a flood does not harm others. */
const maxWaitingMessages = 5
/** The least time between two posts that tell a person about messages refused for the same reason. */
const refusalEveryMs = 60_000

interface Connected {
  readonly platform: ChatPlatform
  readonly poster: Poster
  readonly catchUp: CatchUp
}

/** Passes messages from chats to teams, and posts the answers. Everything is stored before it is passed on. */
export class Channels {
  readonly #parts: ChannelsParts
  readonly #connected = new Map<string, Connected>()
  readonly #refusedAt = new Map<string, number>()
  readonly #pairing: Pairing
  readonly #changes: Changes

  constructor(parts: ChannelsParts) {
    this.#parts = parts
    this.#pairing = new Pairing(parts)
    this.#changes = new Changes(parts)
  }

  /** Connects a source to its platform and posts what waits. Returns the cursor up to which messages are stored. */
  connect({ name }: ChannelConfig, platform: ChatPlatform): string {
    const { messages, clock } = this.#parts
    if (messages.cursor(name) === undefined) messages.move(name, '0', clock.now())
    const { cursor, since } = messages.cursor(name)!
    const poster = new Poster(name, platform, this.#parts)
    this.#connected.set(name, { platform, poster, catchUp: new CatchUp(since, clock) })
    this.#answerLeft(name)
    poster.resume()
    return cursor
  }

  /** Resolves once nothing is being posted. */
  async disconnect(name: string): Promise<void> {
    const connected = this.#connected.get(name)
    this.#connected.delete(name)
    await connected?.poster.end()
  }

  /**
   * Handles one message; call it for one message of a source at a time. Resolves when the message and its turn, if any,
   * are stored, so that the platform may drop the message. Rejects if the platform must keep it.
   */
  async receive(channel: ChannelConfig, message: ChatMessage, signal: AbortSignal): Promise<void> {
    const { messages, people, clock, at } = this.#parts
    at('fetched')
    if (!messages.isKnown(this.#rowOf(channel, message), clock.now())) {
      const person = people.find(channel.name, message.senderId)
      const admitted = admit(message, channel, person)
      if (admitted === 'pair') await this.#pair(channel, message)
      else if (admitted === 'ask') await this.#takeAsItIs(channel, message, signal)
    }
    this.passed(channel, message.cursor)
    at('taken')
    this.#connected.get(channel.name)?.poster.work(chatOf(channel.platform, message.channelId))
  }

  /** Like `receive`, for an edit or a deletion. */
  async change(channel: ChannelConfig, change: ChatChange): Promise<void> {
    const chat = await this.#changes.take(channel, change)
    if (chat !== undefined) this.work(channel.name, chat)
  }

  /** Handles a click on a button. Returns the text to show to that person. */
  click({ name }: ChannelConfig, click: ChatClick): string {
    return this.#parts.click(name, click)
  }

  platformOf(source: string): ChatPlatform | undefined {
    return this.#connected.get(source)?.platform
  }

  /** Posts what is waiting in a chat, if the chat's source is connected. */
  work(source: string, chat: string): void {
    this.#connected.get(source)?.poster.work(chat)
  }

  /** Records that everything up to `cursor` is done. */
  passed({ name }: ChannelConfig, cursor: string): void {
    const { messages, clock } = this.#parts
    messages.move(name, cursor, clock.now())
  }

  /** The next messages are older ones: the limits of catching up apply to them. */
  catchUp({ name }: ChannelConfig): void {
    this.#connected.get(name)?.catchUp.begin()
  }

  /** The platform has no older messages left: posts in each chat how many were skipped there. */
  caughtUp({ name }: ChannelConfig): void {
    const { messages, posts, clock } = this.#parts
    this.#connected.get(name)?.catchUp.end()
    for (const chat of messages.withSkipped(name)) {
      messages.atomically(() => {
        const count = messages.announceSkipped(name, chat)
        const text = `${count} older message${count === 1 ? ' was' : 's were'} not answered because Iris was not running. Ask again if you still want to know.`
        posts.add({ source: name, chat, turn: null, text, replyTo: null, createdAt: clock.now() })
      })
      this.#connected.get(name)?.poster.work(chat)
    }
  }

  /** Posts the answer of a turn that has ended, if the turn's message came from a chat. */
  settled(turnId: string): void {
    const row = this.#parts.messages.ofTurn(turnId)
    if (row?.state === 'asked') void this.#answer(row.source, row.chat, turnId, row.note)
  }

  /** Admits the person who was shown this code. Throws `invalid_input`. */
  pair(source: string, code: string): { readonly sender: string; readonly name: string } {
    const { chat, ...person } = this.#pairing.admit(source, code)
    this.#connected.get(source)?.poster.work(chat)
    return person
  }

  /** Answers the oldest skipped messages after all. Returns how many it answered, and how many are left. */
  async replay(channel: ChannelConfig): Promise<{ readonly replayed: number; readonly left: number }> {
    const { chats, ...counts } = await replaySkipped(channel, this.#parts)
    for (const chat of chats) this.work(channel.name, chat)
    return counts
  }

  known(channel: ChannelConfig): KnownPeople {
    return knownPeople(channel, this.#parts)
  }

  /** Applies a change that arrived before the message. */
  async #takeAsItIs(channel: ChannelConfig, written: ChatMessage, signal: AbortSignal): Promise<void> {
    const message = this.#changes.applied(channel, written)
    if (message === undefined) return this.#record(channel, { ...written, text: '' }, 'handled')
    const isCommand = message !== written && commandIn(message.text.trim()) !== undefined
    if (isCommand) return this.#refuse(channel, message, `${laterCommand}.`)
    return this.#take(channel, message, signal)
  }

  async #take(channel: ChannelConfig, message: ChatMessage, signal: AbortSignal): Promise<void> {
    const { clock, messages, posts } = this.#parts
    const [pair, text] = [pairOf(channel, chatOf(channel.platform, message.channelId)), message.text.trim()]
    const why = this.#tooOld(channel, message)
    if (why === 'skip') return this.#record(channel, { ...message, text: skippedText(message) }, 'skipped')
    if (why === 'forget') return this.#record(channel, message, 'handled')
    const command = commandIn(text)
    if (command !== undefined) {
      if (posts.waitingOf(channel.name, pair.from) >= maxWaitingMessages)
        return this.#refuse(channel, message, 'too many messages of this chat are already waiting.')
      const reply = await answerCommand(command, pair, this.#parts)
      return messages.atomically(() => {
        this.#record(channel, message, 'handled')
        this.#say(channel, message, commandReply(reply, message))
      })
    }
    const hasFiles = message.files !== undefined && message.files.length > 0
    if (messages.waitingOf(channel.name, message.senderId) >= maxWaitingMessages) {
      return this.#refuse(channel, message, `${maxWaitingMessages} of your messages are already waiting.`)
    }
    const quota = hasFiles ? whyFilesRefused(messages.fileBytes(channel.name, message.senderId)) : undefined
    if (quota !== undefined) return this.#refuse(channel, message, quota)
    const platform = this.platformOf(channel.name)
    const begins = platform?.threadRoot !== undefined && this.#parts.sessions.begins(pair, channel)
    const content = await contentOf(message, { platform, clock, signal, begins })
    if (content.isEmpty) return this.#refuse(channel, message, notUnderstood(content))
    const files = await chatFiles(message, platform, clock, signal)
    if (typeof files === 'string') return this.#refuse(channel, message, files)
    const sender = { userId: message.senderId, userName: shownName(message.senderName) }
    const asked = { ...message, text: content.text, chat: pair.from, files, sender }
    const refusal = await askTeam(channel, asked, this.#parts, (turn, note, hasJoined) => {
      messages.add({
        ...this.#rowOf(channel, message),
        text: hasJoined ? content.text.toWellFormed() : null,
        state: 'asked',
        turn,
        note,
      })
      messages.move(channel.name, message.cursor, clock.now())
      if (content.left.length > 0) this.#say(channel, message, notRead(content), 1)
      if (!hasJoined) this.#sayPlace(channel, message, pair, turn)
    })
    if (refusal !== undefined) this.#refuse(channel, message, refusal)
  }

  #tooOld(channel: ChannelConfig, message: ChatMessage): TooOld | undefined {
    return this.#connected.get(channel.name)?.catchUp.judge(channel, message)
  }

  async #pair(channel: ChannelConfig, message: ChatMessage): Promise<void> {
    if (this.#tooOld(channel, message) !== undefined) return
    const record = (): void => this.#record(channel, { ...message, text: '' }, 'handled')
    await this.#pairing.offer(channel, message, record, this.platformOf(channel.name)?.nameOf)
  }

  #refuse(channel: ChannelConfig, message: ChatMessage, why: string): void {
    const { clock, messages } = this.#parts
    // Each reason gets its own post, because the remedy differs.
    const who = [channel.name, message.senderId, why].join('\0')
    const isTold = clock.now() - (this.#refusedAt.get(who) ?? -Infinity) < refusalEveryMs
    if (!isTold) this.#noteRefusal(who)
    messages.atomically(() => {
      messages.refuse(this.#rowOf(channel, message), clock.now())
      if (!isTold) this.#say(channel, message, `Not taken: ${why}`)
    })
  }

  /** Forgets old refusals, so that strangers cannot fill the memory. */
  #noteRefusal(who: string): void {
    const now = this.#parts.clock.now()
    for (const [each, at] of this.#refusedAt) if (now - at >= refusalEveryMs) this.#refusedAt.delete(each)
    this.#refusedAt.set(who, now)
  }

  #record(channel: ChannelConfig, message: ChatMessage, state: ChannelMessageState): void {
    const text = message.text.toWellFormed()
    this.#parts.messages.add({ ...this.#rowOf(channel, message), text, state, turn: null, note: null })
  }

  #rowOf({ name: source, platform }: ChannelConfig, message: ChatMessage) {
    const { updateId, channelId, senderId: sender, senderName, messageId, sentAt } = message
    const chat = chatOf(platform, channelId)
    const receivedAt = this.#parts.clock.now()
    return { source, updateId, chat, sender, senderName: shownName(senderName), messageId, sentAt, receivedAt }
  }

  /**
   * Posts at once how many messages are ahead of this one, unless the only one ahead is already being answered in this
   * chat. Posts nothing while catching up after an outage.
   */
  #sayPlace(channel: ChannelConfig, message: ChatMessage, pair: Pair, turn: string): void {
    if (this.#connected.get(channel.name)?.catchUp.isBehind) return
    const before = this.#parts.sessions.find(pair)?.queue.filter(({ id }) => id !== turn).length ?? 0
    if (before > 1) this.#say(channel, message, `${before} before you.`, 1)
  }

  #say({ name, platform }: ChannelConfig, { channelId, messageId }: ChatMessage, text: string, aside: 0 | 1 = 0): void {
    const place = { source: name, chat: chatOf(platform, channelId), aside }
    this.#parts.posts.add({ ...place, turn: null, text, replyTo: messageId, createdAt: this.#parts.clock.now() })
  }

  /** Posts answers of turns that ended while the source was not connected. */
  #answerLeft(source: string): void {
    for (const row of this.#parts.messages.unanswered()) {
      if (row.source === source && row.turn !== null) void this.#answer(source, row.chat, row.turn, row.note)
    }
  }

  /** Retries until the store accepts the answer, because nothing else would end this turn's post. */
  async #answer(source: string, chat: string, turnId: string, note: string | null): Promise<void> {
    const { clock, log } = this.#parts
    const connected = this.#connected.get(source)
    // Without a connection, the next `connect` posts the answer.
    for (let pauseMs = 1000; connected?.poster.over.aborted === false; pauseMs = Math.min(2 * pauseMs, 60_000)) {
      try {
        return await this.#addAnswer(source, chat, turnId, note)
      } catch (error) {
        log.error(`an answer could not be queued for posting in ${source}: ${String(error)}`, { turnId })
        await pause(clock, pauseMs, connected.poster.over)
      }
    }
  }

  async #addAnswer(source: string, chat: string, turnId: string, note: string | null): Promise<void> {
    const { messages, posts, turns, clock } = this.#parts
    const said = await answerOf(turns.handle(turnId), note)
    const connected = this.#connected.get(source)
    if (said === undefined || connected === undefined || messages.ofTurn(turnId)?.state !== 'asked') return
    messages.atomically(() => {
      const { pieces, isCut } = shownPieces(said.text, connected.poster)
      posts.answer(turnId, pieces, clock.now())
      if (isCut || said.whole !== said.text)
        posts.addAnswerFile(turnId, wholeAnswer, Buffer.from(said.whole), clock.now())
      messages.answered(turnId)
    })
    connected.poster.ended(turnId)
    connected.poster.work(chat)
  }
}
