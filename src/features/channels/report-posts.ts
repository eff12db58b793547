import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import type { ReportRow, Reports } from '../../platform/store/reports.ts'
import type { ChatPlatform } from './chat-platform.ts'
import { cutToFit } from './cut-text.ts'
import type { ChannelPosts } from './rows/channel-posts.ts'
import type { ChannelMessages } from './rows/channels.ts'

export interface ReportPostsParts {
  readonly messages: ChannelMessages
  readonly posts: ChannelPosts
  readonly reports: Pick<Reports, 'unread' | 'read'>
  readonly clock: Clock
  readonly log: Log
  /** Undefined if the channel is not connected. */
  readonly platformOf: (source: string) => ChatPlatform | undefined
  readonly work: (source: string, chat: string) => void
}

/** Posts what an agent said on its own after an answer, below the message that it had answered. */
export class ReportPosts {
  readonly #parts: ReportPostsParts

  constructor(parts: ReportPostsParts) {
    this.#parts = parts
  }

  /** Posts the reports that this conversation's chat does not have yet. Without a connection, the reports wait. */
  post(pair: Pair): void {
    const { reports, log } = this.#parts
    try {
      const byTurn = Map.groupBy(reports.unread(pair), ({ turn }) => turn)
      for (const [turn, ofTurn] of byTurn) this.#post(turn, ofTurn)
    } catch (error) {
      log.error(`a report could not be queued for posting: ${String(error)}`)
    }
  }

  #post(turn: string, said: readonly ReportRow[]): void {
    const { messages, posts, reports, clock, platformOf, work } = this.#parts
    const asked = messages.ofTurn(turn)
    const platform = asked && platformOf(asked.source)
    if (asked === undefined || platform === undefined) return
    const { source, chat, messageId } = asked
    messages.atomically(() => {
      reports.read([turn], clock.now())
      for (const { text } of said.filter(({ kind }) => kind === 'said')) {
        for (const [piece, part] of cutToFit(text.toWellFormed().trim(), platform).entries()) {
          const replyTo = piece === 0 ? messageId : null
          posts.add({ source, chat, turn: null, text: part, replyTo, createdAt: clock.now() })
        }
      }
    })
    work(source, chat)
  }
}
