import { isDeepStrictEqual } from 'node:util'
import {
  AckPolicy,
  type ConsumerMessages,
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  type StreamConfig,
} from '@nats-io/jetstream'
import type { Msg, NatsConnection } from '@nats-io/transport-node'
import type { Letter, Mailbox } from '../../core/cluster/ports.ts'
import { mustFit } from './must-fit.ts'
import { streamThere } from './stream-there.ts'

export interface MailboxParts {
  readonly connection: NatsConnection
  /** The name of this host. */
  readonly self: string
  readonly replicas: number
  /** A letter could not be handled, or the mailbox cannot be read at the moment. */
  readonly onTrouble: (what: string) => void
}

/** The server reserves so much of its disk for each host. */
export const mailboxBytes = 64 * 2 ** 20
/** Senders repeat what was not handled. So an older letter is one that nobody waits for. */
const longestMs = 7 * 86_400_000
const sendTimeoutMs = 5000
/** How soon a letter comes again that was not handled; later each time. */
const againMs = 2000
const longestAgainMs = 60_000
const nanosOfMs = 1_000_000
const readerName = 'iris'

/**
 * A mailbox is a work-queue stream of its host. The subject of a letter names both hosts, the turn and the kind:
 * `iris.mail.<to>.<from>.<turn>.<kind>`. NATS holds each host to its own name as <from>.
 */
export class NatsMailbox implements Mailbox {
  readonly #parts: MailboxParts
  readonly #streams: JetStreamClient
  #isOpen = true
  /** The letters as they come; until the reader is replaced. */
  #coming: ConsumerMessages | undefined

  private constructor(parts: MailboxParts) {
    this.#parts = parts
    this.#streams = jetstream(parts.connection)
  }

  static async open(parts: MailboxParts): Promise<NatsMailbox> {
    const mailbox = new NatsMailbox(parts)
    await mailbox.make()
    return mailbox
  }

  /** Makes this host's mailbox, or brings the one that is there up to date. False: it was missing. */
  async make(): Promise<boolean> {
    const { connection, self, replicas } = this.#parts
    const manager = await jetstreamManager(connection, { checkAPI: false })
    const most = { max_msgs_per_subject: 1, max_bytes: mailboxBytes, max_age: longestMs * nanosOfMs }
    const name = streamOf(self)
    const place = { name, subjects: [`iris.mail.${self}.>`], num_replicas: replicas }
    const stream = { ...most, ...place, discard: DiscardPolicy.New }
    const info = manager.streams.info(name)
    const found = await info.catch(() => undefined)
    const isThere = await streamThere(info)
    // A full mailbox refuses new letters, so that nothing kept is lost; their senders try again.
    if (found && !isLike(found.config, stream)) await this.#update(manager, name, stream)
    if (isThere === false) await manager.streams.add({ ...stream, retention: RetentionPolicy.Workqueue })
    // What the mailbox holds is not handled. A server that was killed may have lost letters, but not how far they were
    // read: it would pass over as many later ones. So a reader starts over at each connection.
    await manager.consumers.delete(name, readerName).catch(() => {})
    const reader = { durable_name: readerName, ack_policy: AckPolicy.Explicit, ack_wait: 30_000 * nanosOfMs }
    await manager.consumers.add(name, { ...reader, max_ack_pending: 1000 })
    this.#coming?.stop()
    return isThere !== false
  }

  /** An older Iris made it. With users, a host has no right to change a stream, and its mailbox stays as it is. */
  async #update(manager: JetStreamManager, name: string, stream: Partial<StreamConfig>): Promise<void> {
    await manager.streams
      .update(name, stream)
      .catch((error: unknown) => this.#parts.onTrouble(`the mailbox could not be brought up to date: ${String(error)}`))
  }

  async send(to: string, { turn, kind, text }: Letter, id: string): Promise<void> {
    const { connection, self } = this.#parts
    const bytes = Buffer.from(text)
    mustFit(bytes, connection)
    const subject = `iris.mail.${to}.${self}.${turn}.${kind}`
    await this.#streams.publish(subject, bytes, { msgID: id, timeout: sendTimeoutMs })
  }

  async receive(handle: (from: string, letter: Letter) => Promise<void>): Promise<void> {
    void this.#read(handle)
  }

  tell(to: string, text: string): void {
    const { connection, self } = this.#parts
    if (!connection.isClosed()) connection.publish(`iris.live.${to}.${self}`, text)
  }

  async listen(heard: (from: string, text: string) => void): Promise<void> {
    const { connection, self } = this.#parts
    const callback = (error: Error | null, { subject, data }: Msg): void => {
      if (error === null) heard(subject.split('.')[3]!, Buffer.from(data).toString())
    }
    connection.subscribe(`iris.live.${self}.*`, { callback })
  }

  end(): void {
    this.#isOpen = false
  }

  /** Reads until this ends, also over restarts of the server. */
  async #read(handle: (from: string, letter: Letter) => Promise<void>): Promise<void> {
    const { self, onTrouble, connection } = this.#parts
    while (this.#isOpen && !connection.isClosed()) {
      try {
        const reader = await this.#streams.consumers.get(streamOf(self), readerName)
        this.#coming = await reader.consume()
        for await (const message of this.#coming) {
          const [, , , from = '', turn = '', kind = ''] = message.subject.split('.')
          const letter = { turn, kind: kind as Letter['kind'], text: message.string() }
          handle(from, letter).then(
            () => message.ack(),
            (error: unknown) => {
              onTrouble(`a message of ${from} waits: ${String(error)}`)
              message.nak(Math.min(againMs * 2 ** (message.info.deliveryCount - 1), longestAgainMs))
            },
          )
        }
      } catch (error) {
        if (!this.#isOpen || connection.isClosed()) return
        onTrouble(`the mailbox cannot be read: ${String(error)}`)
        await new Promise((resolve) => setTimeout(resolve, againMs))
      }
    }
  }
}

function isLike(is: StreamConfig, wanted: Partial<StreamConfig>): boolean {
  return Object.entries(wanted).every(([key, value]) => isDeepStrictEqual(is[key as keyof StreamConfig], value))
}

function streamOf(host: string): string {
  return `IRIS_${host}`
}
