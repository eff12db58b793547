import { isUnseen } from '../../base/lib/visible.ts'
import type { TurnHandle } from '../../kernel/accept/turn-handle.ts'
import type { ChannelConfig } from '../../platform/config/config.ts'
import { withdrawnPrefix } from './answer-text.ts'
import { messageText } from './ask-team.ts'
import { type ChatChange, type ChatMessage, chatOf } from './chat-message.ts'
import { commandIn } from './commands.ts'
import { EarlyChanges } from './early-changes.ts'
import type { ChannelsParts } from './parts.ts'
import { withOtherWords } from './quotes.ts'
import type { ChangedMessageRow } from './rows/channel-changes.ts'
import { admit } from './sender-admission.ts'

type ChangesParts = Pick<
  ChannelsParts,
  'clock' | 'log' | 'messages' | 'people' | 'posts' | 'sessions' | 'turns' | 'changes'
>

/**
 * The version of a deletion, after which further changes are ignored. Platforms use different clocks for the times of
 * deletions and edits.
 */
const final = Number.MAX_SAFE_INTEGER
const deleted = 'the message was deleted'
/** Why an edit that turns a message into a command does not run the command. */
export const laterCommand = 'a command has to be a new message'
const tooLate = 'Too late: the agent already has this message. Send the change as a new message.'
const over = 'Not taken: this message was withdrawn. Send your question as a new message.'
const tooLateToDelete = 'Too late: the agent already has this message. /stop ends the answer.'
/** If more of Iris's posts than this are waiting in a chat, people are not notified of changes that came too late. */
const maxWaitingPosts = 5
/** The least time between two posts saying that a change to the same message came too late. */
const toldEveryMs = 60_000

/**
 * Handles edits and deletions of messages. A message that the agent does not have yet is changed or withdrawn;
 * otherwise the person learns that the change came too late. A change never makes Iris accept a message that it did not
 * accept originally.
 */
export class Changes {
  readonly #parts: ChangesParts
  readonly #toldAt = new Map<string, number>()
  readonly #early = new EarlyChanges()

  constructor(parts: ChangesParts) {
    this.#parts = parts
  }

  /**
   * Call it for one change of a source at a time. Resolves when the change is stored, so that the platform may drop it;
   * a redelivered change has no effect. Rejects if the platform must keep it. Returns the chat to post in.
   */
  async take(channel: ChannelConfig, change: ChatChange): Promise<string | undefined> {
    const { changes, messages, clock } = this.#parts
    const row = changes.find(channel.name, chatOf(channel.platform, change.channelId), change.messageId)
    if (row === undefined) this.#early.keep(channel.name, change)
    else if (this.#counts(channel, change, row)) await this.#apply(change, row)
    if (change.cursor !== undefined) messages.move(channel.name, change.cursor, clock.now())
    return row?.chat
  }

  /** The current version of a message that changed before it arrived; undefined if it was deleted. */
  applied({ name }: ChannelConfig, message: ChatMessage): ChatMessage | undefined {
    return this.#early.applied(name, message)
  }

  /**
   * Anyone who may delete a message on the platform can withdraw it. Only its author, if still allowed to write, can
   * change its text.
   */
  #counts(
    channel: ChannelConfig,
    { version, now }: ChatChange,
    { sender, lastChange, source }: ChangedMessageRow,
  ): boolean {
    if (now === undefined) return lastChange !== final
    if (lastChange !== null && version < lastChange) return false
    if (now.senderId !== sender) return false
    // Whether the message mentions the bot was decided from its original text, because platforms do not resend the
    // message to which it replies.
    return admit({ ...now, isAddressed: true }, channel, this.#parts.people.find(source, sender)) === 'ask'
  }

  async #apply(change: ChatChange, row: ChangedMessageRow): Promise<void> {
    const { now } = change
    const version = now === undefined ? final : change.version
    if (row.state === 'skipped') return this.#changeSkipped(row, version, now)
    if (row.turn === null) return
    const turn = this.#parts.turns.handle(row.turn)
    if (row.state === 'asked' && row.text === null && (await this.#changeWaiting(turn, { ...change, version }, row)))
      return
    // Two edits within the platform's smallest unit of time have the same version: both apply, but the second one is
    // not reported again.
    if (version === row.lastChange) return
    const { message, detail } = this.#parts.turns.rowOf(row.turn) ?? {}
    const known = row.text ?? message
    if (now === undefined ? row.state === 'asked' : known !== revised(known, now) && known !== now.text.trim())
      this.#tell(
        row,
        version,
        now === undefined ? tooLateToDelete : detail?.startsWith(withdrawnPrefix) ? over : tooLate,
      )
  }

  /**
   * A later replay uses the current text, with the quotes that the message had. A message without words is never
   * replayed.
   */
  #changeSkipped(row: ChangedMessageRow, version: number, now: ChatMessage | undefined): void {
    const { changes, messages } = this.#parts
    // Files of skipped messages are not kept.
    const isOver = now === undefined || unusable({ ...now, files: [] }, []) !== undefined
    messages.atomically(() => {
      changes.changed(row, version, isOver ? '' : revised(row.text ?? undefined, now))
      if (isOver) messages.replayed(row.source, row.updateId, 'handled', null, null)
    })
  }

  /** Returns false if the agent already has the message. */
  async #changeWaiting(turn: TurnHandle, { now, version }: ChatChange, row: ChangedMessageRow): Promise<boolean> {
    const { changes, sessions, log } = this.#parts
    const status = await turn.status()
    if (status === undefined || !('live' in status)) return false
    const { pair, delivery, facts, end } = status.live
    if (delivery !== undefined || end !== undefined) return false
    const why = now === undefined ? deleted : unusable(now, facts.attachments?.map(({ bytes }) => bytes) ?? [])
    if (why !== undefined) {
      await turn.endTree({ reason: 'cancelled', detail: `${withdrawnPrefix}${why}.` })
      changes.changed(row, version)
      log.info(`a waiting message in ${row.source} was withdrawn: ${why}`, { turnId: turn.id })
      return true
    }
    const message = revised(facts.message, now!)
    if (message === facts.message) return true
    const isChanged = sessions.find(pair)?.revise(turn.id, message, () => changes.changed(row, version)) ?? false
    if (isChanged) log.info(`a waiting message in ${row.source} was edited`, { turnId: turn.id })
    return isChanged
  }

  #tell(row: ChangedMessageRow, version: number, text: string): void {
    const { source, chat, messageId } = row
    const { changes, clock, messages, posts } = this.#parts
    const [key, now] = [[source, chat, messageId].join('\0'), clock.now()]
    for (const [each, at] of this.#toldAt) if (now - at >= toldEveryMs) this.#toldAt.delete(each)
    const isTold = this.#toldAt.has(key) || posts.waitingOf(source, chat) >= maxWaitingPosts
    messages.atomically(() => {
      changes.changed(row, version)
      if (isTold) return
      posts.add({ source, chat, turn: null, text, replyTo: messageId, createdAt: now, aside: 1 })
    })
    if (!isTold) this.#toldAt.set(key, now)
  }
}

/** The quoted message stays as it was: an edit does not change it, and platforms do not resend it. */
function revised(known: string | undefined, { text }: ChatMessage): string {
  return messageText({ text: withOtherWords(known ?? '', text) })
}

/** Why the agent no longer gets a message. Undefined if it gets the current version. */
function unusable({ text, files = [] }: ChatMessage, attached: readonly number[]): string | undefined {
  if (commandIn(text.trim()) !== undefined) return laterCommand
  const isSame =
    files.length === attached.length && files.every(({ bytes = 0 }, at) => [0, attached[at]].includes(bytes))
  if (!isSame) return 'its files were changed. Send it again'
  return isUnseen(text) && files.length === 0 ? 'it no longer contains anything that can be read here' : undefined
}
