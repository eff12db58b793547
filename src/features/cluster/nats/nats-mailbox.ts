import {
  AckPolicy,
  type ConsumerMessages,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream'
import type { Msg, NatsConnection } from '@nats-io/transport-node'
import type { Letter, Mailbox } from '../ports.ts'
import { refuseOversized } from './payload-limit.ts'
import { eachHostMakes, isAsWanted, lookAt, mailboxStream, makeStream, NotMade, type Stream } from './streams.ts'

export interface MailboxParts {
  readonly connection: NatsConnection
  /** The name of this host. */
  readonly self: string
  readonly replicas: number
  /** Called when a letter could not be handled, or when the mailbox cannot be read at the moment. */
  readonly onTrouble: (what: string) => void
}

const sendTimeoutMs = 5000
/** How soon an unhandled letter is delivered again. The time grows with each attempt. */
const againMs = 2000
const maxAgainMs = 60_000
const nanosOfMs = 1_000_000
const readerName = 'iris'

/**
 * A mailbox is a work-queue stream of its host. The subject of a letter names both hosts, the turn and the kind:
 * `iris.mail.<to>.<from>.<turn>.<kind>`. NATS ensures that each host can use only its own name as <from>.
 */
export class NatsMailbox implements Mailbox {
  readonly #parts: MailboxParts
  readonly #streams: JetStreamClient
  readonly #stream: Stream
  #isOpen = true
  /** When the stream that this host reads was created; undefined if not known. */
  #created: string | undefined
  /** The incoming letters, until the reader is replaced. */
  #coming: ConsumerMessages | undefined

  private constructor(parts: MailboxParts) {
    this.#parts = parts
    this.#streams = jetstream(parts.connection)
    this.#stream = mailboxStream(parts.self, parts.replicas)
  }

  static async open(parts: MailboxParts): Promise<NatsMailbox> {
    const mailbox = new NatsMailbox(parts)
    await mailbox.make()
    return mailbox
  }

  /**
   * Switches to this host's mailbox. On a server without users, creates the mailbox if it is missing, or updates its
   * configuration. Returns false if the earlier mailbox was lost. Throws `NotMade`.
   */
  async make(): Promise<boolean> {
    const { connection } = this.#parts
    const manager = await jetstreamManager(connection, { checkAPI: false })
    const { name } = this.#stream
    const found = await lookAt(manager, this.#stream)
    if (found === undefined && !eachHostMakes(connection)) throw new NotMade(this.#stream)
    const info = found ?? (await makeStream(connection, manager, this.#stream))
    if (info !== 'unknown' && !isAsWanted(info.config, this.#stream) && eachHostMakes(connection))
      await this.#update(manager)
    // Letters that are still in the mailbox have not been handled. A killed server may have lost letters but kept the
    // read position, and would then skip later letters. So each connection starts a new reader.
    await manager.consumers.delete(name, readerName).catch(() => {})
    const reader = { durable_name: readerName, ack_policy: AckPolicy.Explicit, ack_wait: 30_000 * nanosOfMs }
    await manager.consumers.add(name, { ...reader, max_ack_pending: 1000 })
    this.#coming?.stop()
    const [before, created] = [this.#created, info === 'unknown' ? undefined : info.created]
    this.#created = created
    return found !== undefined && (before === undefined || before === created)
  }

  /** If the current mailbox is gone, switches to the new one. Returns and throws like `make`. */
  async check(): Promise<boolean> {
    const { connection } = this.#parts
    const found = await lookAt(await jetstreamManager(connection, { checkAPI: false }), this.#stream)
    return found === 'unknown' || (found !== undefined && found.created === this.#created) || this.make()
  }

  /** Updates the configuration of a mailbox that an older Iris created. */
  async #update(manager: JetStreamManager): Promise<void> {
    await manager.streams
      .update(this.#stream.name, this.#stream.config)
      .catch((error: unknown) => this.#parts.onTrouble(`the mailbox could not be brought up to date: ${String(error)}`))
  }

  async send(to: string, { turn, kind, text }: Letter, id: string): Promise<void> {
    const { connection, self } = this.#parts
    const bytes = Buffer.from(text)
    refuseOversized(bytes, connection)
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

  /** Reads until this mailbox is closed, even if the server restarts. */
  async #read(handle: (from: string, letter: Letter) => Promise<void>): Promise<void> {
    const { onTrouble, connection } = this.#parts
    while (this.#isOpen && !connection.isClosed()) {
      try {
        const reader = await this.#streams.consumers.get(this.#stream.name, readerName)
        this.#coming = await reader.consume()
        for await (const message of this.#coming) {
          const [, , , from = '', turn = '', kind = ''] = message.subject.split('.')
          const letter = { turn, kind: kind as Letter['kind'], text: message.string() }
          handle(from, letter).then(
            () => message.ack(),
            (error: unknown) => {
              onTrouble(`a message from ${from} is waiting: ${String(error)}`)
              message.nak(Math.min(againMs * 2 ** (message.info.deliveryCount - 1), maxAgainMs))
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
