import { IrisError } from '../../base/protocol/error.ts'
import type { PermissionView } from '../../base/protocol/permission-view.ts'
import type { ChannelConfig, Config } from '../../platform/config/config.ts'
import { workingTeam } from '../../platform/config/former-teams.ts'
import { channelIdOf, chatOf } from './chat-message.ts'
import type { ChatClick } from './chat-platform.ts'
import type { ChannelsParts } from './parts.ts'
import { questionText } from './question-text.ts'

export interface ApprovalsParts
  extends Pick<ChannelsParts, 'config' | 'clock' | 'log' | 'posts' | 'messages' | 'random'> {
  readonly questions: {
    find(permissionId: string): PermissionView | undefined
    answer(
      permissionId: string,
      answer: { readonly decision: 'allow' | 'deny'; readonly by: string; readonly inputHash: string },
    ): { readonly status: string }
  }
  /** Starts posting what waits in a chat. */
  readonly work: (source: string, chat: string) => void
  /** Records an answer that was refused. */
  readonly refused: (permissionId: string | undefined, by: string, why: string) => void
}

/** Where permission requests are posted, and who may answer them there. */
interface Place {
  readonly source: string
  readonly chat: string
  readonly approvers: readonly string[]
}

const tokenBytes = 18

/**
 * Permission requests in chats, each posted with two buttons. Only approvers may answer, and each button applies to one
 * tool input only.
 */
export class Approvals {
  readonly #parts: ApprovalsParts

  constructor(parts: ApprovalsParts) {
    this.#parts = parts
  }

  /** Posts a permission request where its approvers see it. Returns false if config.yaml has no chat for it. */
  asked(view: PermissionView, mode: 'ask' | 'forward'): boolean {
    const place = this.#placeOf(view, mode)
    if (place === undefined) return false
    const { posts, clock, random, work } = this.#parts
    const { source, chat } = place
    const token = Buffer.from(random(tokenBytes)).toString('base64url')
    const asked = { permission: view.permissionId, inputHash: view.inputHash, token, mode, ...questionText(view) }
    posts.addQuestion({ source, chat, createdAt: clock.now(), ...asked })
    work(source, chat)
    return true
  }

  /** Removes the buttons and says how the request ended. */
  resolved(view: PermissionView): void {
    for (const { source, chat } of this.#parts.posts.endQuestion(view.permissionId, outcomeOf(view))) {
      this.#parts.work(source, chat)
    }
  }

  /** Returns the text to show to the person who clicked. */
  click(source: string, click: ChatClick): string {
    const { posts, config, questions, log } = this.#parts
    const post = posts.ofToken(source, click.token)
    const channel = config().channels.get(source)
    const by = `${channel?.platform ?? source}:${click.senderId}`
    const refuse = (why: string): string => {
      this.#parts.refused(post?.permission, by, why)
      return `This does not count: ${why}.`
    }
    if (post === undefined || channel === undefined) return refuse('the question is over')
    const isHere = channelIdOf(post.chat).split('/').includes(click.chatId) && post.platformId === click.messageId
    if (!isHere) return refuse('the button belongs to another message')
    const view = questions.find(post.permission)
    if (view === undefined) return refuse('the question is over')
    // Checked again, because config.yaml may have changed since the request was posted.
    const place = this.#placeOf(view, post.mode)
    if (place?.chat !== post.chat || !place.approvers.includes(click.senderId)) return refuse('you are not an approver')
    if (click.decision === 'allow' && !post.canAllow) return refuse('not all of the input is shown here')
    try {
      const { decision } = click
      const { status } = questions.answer(post.permission, { decision, by, inputHash: post.inputHash })
      if (status !== 'answered') return refuse('the question is over')
      return decision === 'allow' ? 'Allowed, this once.' : 'Denied.'
    } catch (error) {
      if (!(error instanceof IrisError)) throw error
      log.warn(`an answer from ${by} was refused: ${error.message}`, { permission: post.permission })
      return refuse(error.code === 'invalid_input' ? 'a rule forbids it' : 'it cannot be recorded now')
    }
  }

  #placeOf(view: PermissionView, mode: 'ask' | 'forward'): Place | undefined {
    const { config, messages } = this.#parts
    if (mode === 'forward') return forwardPlace(config(), view.team)
    const [asker = ''] = view.chain
    const source = asker.includes(':') ? messages.sourceOf(asker, view.turnId) : undefined
    const channel = source === undefined ? undefined : config().channels.get(source)
    if (channel === undefined || channel.approvers.length === 0) return undefined
    return { source: channel.name, chat: asker, approvers: channel.approvers }
  }
}

/**
 * The chat to which this team's requests are forwarded. Undefined if they are not forwarded, or if they go to a
 * webhook.
 */
function forwardPlace(config: Config, name: string): Place | undefined {
  const team = workingTeam(config, name)
  if (team?.grantPermission !== 'forward') return undefined
  const { channel: source, chat, approvers } = team.forwardTo ?? config.settings.forwardTo ?? {}
  const channel: ChannelConfig | undefined = source === undefined ? undefined : config.channels.get(source)
  if (channel === undefined || chat === undefined || approvers === undefined) return undefined
  return { source: channel.name, chat: chatOf(channel.platform, chat), approvers }
}

function outcomeOf({ state, toolName, team, decidedBy }: PermissionView): string {
  const about = `${toolName} of ${team}`
  if (state === 'allowed') return `Allowed, once or for longer: ${about} (by ${decidedBy ?? 'nobody'}).`
  if (state === 'denied') return `Denied: ${about} (by ${decidedBy ?? 'nobody'}).`
  return state === 'timed_out' ? `Denied, since nobody answered: ${about}.` : `Over: ${about}.`
}
