import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../../base/lib/clock.ts'
import type { Log } from '../../../base/lib/log.ts'
import type { Post, Reply } from '../../../base/lib/post.ts'
import { signedJson } from '../../../base/lib/webhook-signature.ts'
import type { PermissionView } from '../../../base/protocol/permission-view.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { FoundProxy } from '../../../platform/config/proxy.ts'
import { deliver } from './deliver.ts'
import { type Destination, destinationOf, hostOf } from './destination.ts'
import { discordMessage } from './discord.ts'
import { type JsonMessage, requestMessage, resolvedMessage } from './json-message.ts'
import type { SignedAnswers } from './signed-answers.ts'
import { slackMessage } from './slack.ts'

export interface ForwarderParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly log: Log
  readonly answers: Pick<SignedAnswers, 'take'>
  /** The address to which an answer to the question is posted. */
  readonly answerUrl: (permissionId: string) => string
  /** How to use a proxy of config.yaml. */
  readonly proxyAccess: (proxy: NonNullable<Destination['proxy']>) => Promise<FoundProxy>
  /** Ends a question that reaches nobody. */
  readonly refuse: (permissionId: string, why: string) => void
}

/** A question, its destination, and the controller that ends its delivery. */
interface Open {
  readonly view: PermissionView
  readonly to: Destination
  readonly ended: AbortController
}

/** Sends questions to the endpoints of their teams, and tells these endpoints how the questions ended. */
export class Forwarder {
  readonly #parts: ForwarderParts
  readonly #closing = new AbortController()
  /** The open questions, by id. */
  readonly #open = new Map<string, Open>()

  constructor(parts: ForwarderParts) {
    this.#parts = parts
  }

  /** Sends a new question; refuses one that cannot be delivered. */
  async forward(view: PermissionView): Promise<void> {
    const { config, refuse } = this.#parts
    const { permissionId } = view
    const to = destinationOf(config(), view.team)
    if (!to) return refuse(permissionId, 'config.yaml has no forwardTo for this team any more')
    const ended = new AbortController()
    this.#open.set(permissionId, { view, to, ended })
    const delivered = await this.#deliver(to, () => this.#question(view, to), ended.signal)
    if (ended.signal.aborted) return
    if ('reply' in delivered) {
      if (to.format === 'json') await this.#takeReply(view, delivered.reply)
      return
    }
    this.#open.delete(permissionId)
    refuse(permissionId, `the question could not be forwarded to ${hostOf(to)}: ${delivered.failed}`)
  }

  /** Reports the end of a question to JSON endpoints only: in a chat, people would have one more message to read. */
  resolved(view: PermissionView): void {
    const open = this.#open.get(view.permissionId)
    this.#open.delete(view.permissionId)
    open?.ended.abort()
    if (open?.to.format !== 'json') return
    const { clock } = this.#parts
    const { to } = open
    const message = resolvedMessage(view, clock.now())
    void this.#deliver(to, () => signedJson(message, to.secret, clock.now()))
  }

  /** Sends each open question to its team's new destination. Without one, the question waits for the owner. */
  settingsChanged(): void {
    for (const { view, to, ended } of [...this.#open.values()]) {
      const now = destinationOf(this.#parts.config(), view.team)
      if (isDeepStrictEqual(now, to)) continue
      ended.abort()
      this.#open.delete(view.permissionId)
      if (now) void this.forward(view)
    }
  }

  close(): void {
    this.#closing.abort()
  }

  #deliver(
    { url, private: mayBePrivate, proxy }: Destination,
    message: () => Pick<Post, 'headers' | 'body'>,
    signal?: AbortSignal,
  ) {
    const { clock, proxyAccess } = this.#parts
    const closing = this.#closing.signal
    const either = signal ? AbortSignal.any([signal, closing]) : closing
    return deliver({ url, mayBePrivate, message, proxy: proxy && (() => proxyAccess(proxy)), clock, signal: either })
  }

  #question(view: PermissionView, { format, secret }: Destination): Pick<Post, 'headers' | 'body'> {
    const { clock, answerUrl } = this.#parts
    if (format === 'json') {
      const message: JsonMessage = requestMessage(view, answerUrl(view.permissionId))
      return signedJson(message, secret, clock.now())
    }
    const body = format === 'slack' ? slackMessage(view) : discordMessage(view)
    return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  }

  /** The endpoint may decide at once, in its own reply, signed like any other answer. */
  async #takeReply({ permissionId }: PermissionView, { header, body }: Reply): Promise<void> {
    if (header('webhook-signature') === undefined || body === undefined) return
    try {
      await this.#parts.answers.take(permissionId, { header, body })
    } catch (error) {
      // The question stays open.
      this.#parts.log.warn(`the endpoint's reply is not an answer: ${String(error)}`, { permissionId })
    }
  }
}
