import {
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { inSubject } from '../../../platform/config/nats-user.ts'
import type { ConversationLogs, LogRecord } from '../ports.ts'
import { refuseOversized } from './payload-limit.ts'
import { eachHostMakes, logStream, lookAt, makeStream, NotMade } from './streams.ts'

const timeoutMs = 5000
const wrongLastSequence = 10_071

/**
 * A stream for each team that several hosts share, and in it a subject for each conversation. JetStream refuses a
 * record unless the subject's last record is the expected one, so no clock decides.
 */
export class NatsLogs implements ConversationLogs {
  readonly #streams: JetStreamClient
  readonly #connection: NatsConnection
  readonly #replicas: number
  readonly #made = new Set<string>()

  constructor(connection: NatsConnection, replicas: number) {
    this.#connection = connection
    this.#streams = jetstream(connection)
    this.#replicas = replicas
  }

  async read(team: string, conversation: string, after: number): Promise<LogRecord[]> {
    const manager = await this.#managerFor(team)
    const missing = (error: unknown): never => {
      this.#made.delete(team)
      throw error
    }
    const records: LogRecord[] = []
    for (let next = after + 1; ; ) {
      const query = { seq: next, next_by_subj: subjectOf(team, conversation) }
      const found = await manager.streams.getMessage(logStream(team, this.#replicas).name, query).catch(missing)
      if (found === null) return records
      records.push({ number: found.seq, bytes: found.data })
      next = found.seq + 1
    }
  }

  async append(team: string, conversation: string, bytes: Uint8Array, last: number): Promise<number | undefined> {
    await this.#managerFor(team)
    refuseOversized(bytes, this.#connection)
    const expect = { lastSubjectSequence: last }
    try {
      const { seq } = await this.#streams.publish(subjectOf(team, conversation), bytes, { expect, timeout: timeoutMs })
      return seq
    } catch (error) {
      if (codeOf(error) === wrongLastSequence) return undefined
      // A server that lost its files no longer has the stream.
      this.#made.delete(team)
      throw error
    }
  }

  async #managerFor(team: string): Promise<JetStreamManager> {
    const manager = await jetstreamManager(this.#connection, { checkAPI: false })
    if (this.#made.has(team)) return manager
    const stream = logStream(team, this.#replicas)
    const isThere = (await lookAt(manager, stream)) !== undefined
    if (!isThere && !eachHostMakes(this.#connection)) throw new NotMade(stream)
    if (!isThere) await makeStream(this.#connection, manager, stream)
    this.#made.add(team)
    return manager
  }
}

function codeOf(error: unknown): number | undefined {
  return error instanceof JetStreamApiError ? error.code : undefined
}

function subjectOf(team: string, conversation: string): string {
  return `iris.log.${inSubject(team)}.${conversation}`
}
