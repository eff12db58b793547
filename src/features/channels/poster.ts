import { pause } from '../../base/lib/clock.ts'
import { channelIdOf } from './chat-message.ts'
import { ChatFailure, type ChatPlatform } from './chat-platform.ts'
import { cutToFit, otherPieces } from './cut-text.ts'
import type { ChannelsParts } from './parts.ts'
import { isAnswer, isAnswerFile, keptProblem, mayRepeat, nthMessage, uneditable } from './post-kinds.ts'
import type { ChannelFile, ChannelPostRow } from './rows/channel-posts.ts'

/** Pauses before another attempt to post. They double from the first to the longest. */
const firstPauseMs = 1000
const maxPauseMs = 60_000
/** Platforms show a typing indicator for five to ten seconds. */
const typingEveryMs = 4000
/** How many times a post is posted again after someone deleted its message. */
const maxLost = 2

/** True whether or not an answer follows: if the platform loses the edit, this text stays. */
const placeholder = 'Received.'
/** Replaces a file whose content is lost, for example after damage to the store. */
const lostFile = 'A file for this chat was lost. Ask for it again.'

class InDoubt extends ChatFailure {
  constructor(message: string) {
    super('never', message)
  }
}

/**
 * Posts what waits, one post at a time per chat. An answer is first posted as a placeholder, edited while the model
 * writes, and finally edited to its full text. Edits are idempotent, so a crash may leave a placeholder but never two
 * answers. Everything else is posted once: Iris's own texts, files, and answers in chats where posts cannot be edited.
 * If it is unknown whether a post arrived, it is marked `in_doubt`.
 */
export class Poster {
  readonly #source: string
  readonly #platform: ChatPlatform
  readonly #parts: ChannelsParts
  readonly #working = new Map<string, Promise<void>>()
  readonly #ended = new Map<string, () => void>()
  readonly #lost = new Map<number, number>()
  /** The text that an unfinished answer shows, by post. */
  readonly #shown = new Map<number, string>()
  /** Chats in which an edit was refused. */
  readonly #uneditable = new Set<string>()
  readonly #over = new AbortController()

  constructor(source: string, platform: ChatPlatform, parts: ChannelsParts) {
    this.#source = source
    this.#platform = platform
    this.#parts = parts
  }

  /** Aborts when this poster ends. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  get longestText(): number {
    return this.#platform.longestText
  }

  readonly lengthOf = (text: string): number => this.#platform.lengthOf(text)

  /** Continues the posts that a previous daemon or connection left unfinished. */
  resume(): void {
    for (const chat of this.#parts.posts.chats(this.#source)) this.work(chat)
  }

  /** Resolves when no request is in progress: two posters at the same time would post twice. */
  async end(): Promise<void> {
    this.#over.abort()
    for (const tell of this.#ended.values()) tell()
    await Promise.all(this.#working.values())
  }

  /** Called when the turn's answer is stored. Ends the streaming of that answer. */
  ended(turnId: string): void {
    this.#ended.get(turnId)?.()
  }

  /**
   * Posts what waits in a chat, unless that is already in progress. A question does not wait for an unfinished answer,
   * because the answer may be waiting for the question.
   */
  work(chat: string): void {
    const { posts } = this.#parts
    this.#start(chat, chat, () => posts.next(this.#source, chat))
    this.#start(`${chat} aside`, chat, () => posts.nextAside(this.#source, chat))
  }

  #start(queue: string, chat: string, next: () => ChannelPostRow | undefined): void {
    if (this.#working.has(queue) || this.#over.signal.aborted) return
    // Set before the work begins, because the work may end at once.
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#working.set(queue, promise)
    void this.#work(queue, chat, next).then(resolve)
  }

  /** Retries when the store fails; otherwise a post would wait until the next one in its chat. */
  async #work(queue: string, chat: string, next: () => ChannelPostRow | undefined): Promise<void> {
    for (let pauseMs = firstPauseMs; !this.#over.signal.aborted; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      try {
        for (let row = next(); row !== undefined; row = next()) {
          if (this.#over.signal.aborted) return
          await this.#one(row)
          pauseMs = firstPauseMs
        }
        // In the same step as the check, so that a post added later starts the work again.
        this.#working.delete(queue)
        return
      } catch (error) {
        this.#parts.log.error(`posting in ${chat} failed and will be retried: ${String(error)}`)
        await pause(this.#parts.clock, pauseMs, this.#over.signal)
      }
    }
  }

  async #one(row: ChannelPostRow): Promise<void> {
    if (row.outcome !== null && row.platformId !== null) await this.#replace(row, row.platformId, row.outcome)
    else if (mayRepeat(row)) await this.#answer(row)
    else await this.#say(row)
  }

  async #say(row: ChannelPostRow): Promise<void> {
    const { posts, at } = this.#parts
    const kept = posts.fileOf(row.id)
    const file = kept && (await this.#uploaded(row, kept))
    if (kept !== undefined && file === undefined) return
    posts.set(row.id, 'sending', keptProblem(row))
    at(file ? 'file-sending' : 'sending')
    const post = (mayBePosted: boolean) => this.#post(row, row.text ?? lostFile, mayBePosted, file)
    const platformId = await this.#tried(row, post)
    at(file ? 'file-sent' : 'sent')
    if (platformId === undefined) return
    // If the question ended meanwhile, its post is replaced by the outcome.
    posts.set(row.id, posts.outcomeOf(row.id) === null ? 'posted' : 'reserved', { platformId })
  }

  /** Uploads a file's content to a platform that needs it before the post. Undefined if the file cannot be posted. */
  async #uploaded(row: ChannelPostRow, file: ChannelFile): Promise<ChannelFile | undefined> {
    if (file.upload !== null || this.#platform.upload === undefined) return file
    const upload = await this.#tried({ ...row, state: 'waiting' }, async () => this.#platform.upload!(file))
    if (upload === undefined) return undefined
    this.#parts.posts.uploaded(row.id, upload)
    this.#parts.at('file-uploaded')
    return { ...file, upload }
  }

  async #replace(row: ChannelPostRow, id: string, text: string): Promise<void> {
    const edited = await this.#tried({ ...row, platformId: id }, async () => {
      const edit = this.#platform.edit(channelIdOf(row.chat), id, text, isAnswer(row))
      // People have already read this text, so it must not appear a second time.
      await edit.catch((error: unknown) => {
        if (!(error instanceof ChatFailure && error.kind === 'never' && this.#shown.get(row.id) === text)) throw error
      })
      return id
    })
    this.#shown.delete(row.id)
    this.#parts.at('edited')
    if (edited !== undefined) this.#parts.posts.set(row.id, 'posted')
  }

  async #answer(row: ChannelPostRow): Promise<void> {
    if (row.text === null) this.#showTyping(row.chat)
    const takesEdits = !this.#uneditable.has(row.chat)
    const id = row.platformId ?? (takesEdits ? await this.#reserve(row) : undefined)
    if (takesEdits && id === undefined) return
    const text = row.text ?? (await this.#stream(row, id))
    // Iris or the connection ended before the answer was complete.
    if (text === undefined) return
    if (takesEdits) await this.#replace(row, id!, text)
    else this.#parts.posts.begin(row.id, uneditable)
  }

  #showTyping(chat: string): void {
    // Nothing is lost if this fails.
    this.#platform.typing?.(channelIdOf(chat)).catch(() => {})
  }

  async #reserve(row: ChannelPostRow): Promise<string | undefined> {
    const { posts, at } = this.#parts
    posts.set(row.id, 'sending')
    at('sending')
    const platformId = await this.#tried(row, (mayBePosted) => this.#post(row, placeholder, mayBePosted))
    at('sent')
    if (platformId === undefined) return undefined
    posts.set(row.id, 'reserved', { platformId })
    at('reserved')
    return platformId
  }

  /**
   * If the post may already have been posted, sends it again only if the platform recognizes the repetition or the post
   * is a placeholder.
   */
  async #post(row: ChannelPostRow, text: string, mayBePosted: boolean, file?: ChannelFile): Promise<string> {
    const { id, chat, replyTo, createdAt } = row
    const key = `${id}-${createdAt.toString(36)}-${this.#lost.get(id) ?? 0}${nthMessage(row)}`
    const buttons = row.token === null ? undefined : { token: row.token, canAllow: row.canAllow === 1 }
    const said = { text, isMarkdown: isAnswer(row), mayRepeat: mayRepeat(row), replyTo: replyTo ?? undefined }
    const post = { channelId: channelIdOf(chat), ...said, key, createdAt, buttons, file }
    const found = mayBePosted ? await this.#platform.postOnce(post) : undefined
    if (found !== undefined) return found
    if (mayBePosted && !post.mayRepeat) throw new InDoubt('nobody knows whether it was posted')
    return this.#platform.post(post)
  }

  /**
   * Shows the unfinished text until the turn ends. Returns the answer's first piece. Undefined if the connection ended
   * first.
   */
  async #stream(
    { id, source, chat, turn }: ChannelPostRow,
    platformId: string | undefined,
  ): Promise<string | undefined> {
    const { posts, turns, clock } = this.#parts
    const ended = new AbortController()
    this.#ended.set(turn!, () => ended.abort())
    let everyMs = this.#platform.streamEveryMs(channelIdOf(chat))
    let shown = placeholder
    let typedAt = clock.elapsed()
    try {
      for (;;) {
        const now = posts.next(source, chat)
        if (now?.id !== id) return undefined
        if (now.text !== null) return now.text
        if (this.#over.signal.aborted) return undefined
        if (clock.elapsed() - typedAt >= typingEveryMs) {
          typedAt = clock.elapsed()
          this.#showTyping(chat)
        }
        const [text = ''] = cutToFit(turns.writing([turn!])[0]?.text ?? '', this)
        if (platformId !== undefined && text.trim() !== '' && text !== shown) {
          shown = text
          const failure = await this.#platform.edit(channelIdOf(chat), platformId, text, true).then(
            () => undefined,
            (error: unknown) => error,
          )
          if (failure === undefined) this.#shown.set(id, text)
          if (failure instanceof ChatFailure) everyMs = Math.max(everyMs, failure.retryAfterMs)
        }
        await pause(clock, everyMs, ended.signal)
      }
    } finally {
      this.#ended.delete(turn!)
    }
  }

  /** Retries until the platform succeeds or fails permanently. Undefined if the step did not succeed. */
  async #tried(row: ChannelPostRow, step: (mayBePosted: boolean) => Promise<string>): Promise<string | undefined> {
    let mayBePosted = row.state === 'sending'
    for (let pauseMs = firstPauseMs; !this.#over.signal.aborted; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      try {
        return await step(mayBePosted)
      } catch (error) {
        const failure = error instanceof ChatFailure ? error : new ChatFailure('never', String(error))
        if (this.#isOver(row, failure)) return undefined
        mayBePosted ||= failure.kind === 'unknown'
        await pause(this.#parts.clock, Math.max(failure.retryAfterMs, pauseMs), this.#over.signal)
      }
    }
    return undefined
  }

  /** Whether to stop trying. If so, records the result in the post's row. */
  #isOver(row: ChannelPostRow, failure: ChatFailure): boolean {
    const { posts, log } = this.#parts
    const { id, chat } = row
    const { kind, message: problem } = failure
    const times = (this.#lost.get(id) ?? 0) + 1
    if (kind === 'later' || kind === 'unknown') return false
    if (failure instanceof InDoubt) this.#fail(row, problem, 'in_doubt')
    else if (kind === 'gone' && times <= maxLost) {
      this.#lost.set(id, times)
      posts.begin(id)
    } else if (mayRepeat(row) && row.platformId !== null) {
      log.warn(`an answer in ${chat} is posted as another message, because the first one cannot be edited: ${problem}`)
      this.#uneditable.add(chat)
      posts.begin(id, uneditable)
    } else {
      log.warn(`nothing can be posted in ${chat}: ${problem}`)
      this.#fail(row, problem)
    }
    return true
  }

  /**
   * If it is unknown whether an answer's file was posted, the rest of the answer is also sent as posts, so that nobody
   * misses it.
   */
  #fail(row: ChannelPostRow, problem: string, state: 'failed' | 'in_doubt' = 'failed'): void {
    const { messages, posts, turns, clock, log } = this.#parts
    const { id, chat, turn } = row
    const file = isAnswerFile(row) ? posts.fileOf(id) : undefined
    if (file === undefined) posts.set(id, state, { problem })
    else {
      const rest = otherPieces(Buffer.from(file.content).toString(), this)
      messages.atomically(() => posts.inPieces(row, rest, { state, problem }, clock.now()))
      return this.work(chat)
    }
    // Nobody could read the answer, so the turn is cancelled to save its cost.
    if (state === 'in_doubt' || turn === null || row.text !== null) return
    turns
      .handle(turn)
      .cancel()
      .catch((error: unknown) => log.warn(`${String(error)}`, { turnId: turn }))
  }
}
