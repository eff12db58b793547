import { isDeepStrictEqual } from 'node:util'
import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { type NatsConnection, PermissionViolationError } from '@nats-io/transport-node'
import { inSubject } from '../../../platform/config/nats-user.ts'

/** A stream that Iris needs on the servers. */
export interface Stream {
  readonly name: string
  /** A name that completes "the servers had lost". */
  readonly what: string
  readonly config: Partial<StreamConfig>
  /** The part of the configuration that cannot change later. */
  readonly fixed: Partial<StreamConfig>
}

export const hostsBucket = 'iris_hosts'
/** Senders repeat unhandled letters, so nobody needs older ones. */
const maxMs = 7 * 86_400_000
const nanosOfMs = 1_000_000
/** How much of its disk the server reserves for each host. */
const mailboxBytes = 64 * 2 ** 20
const noStream = 10_059
/** Errors that mean that the server has less room than it would have to reserve. */
const noRoom = new Set([10_023, 10_047])

/** The directory: a key-value bucket. */
export function directoryStream(replicas: number): Stream {
  const place = { subjects: [`$KV.${hostsBucket}.>`], num_replicas: replicas }
  return {
    name: `KV_${hostsBucket}`,
    what: 'the directory of the hosts',
    fixed: {},
    config: { ...place, max_msgs_per_subject: 1 },
  }
}

/** A full mailbox refuses new letters, so that none of its letters is lost. The senders try again. */
export function mailboxStream(host: string, replicas: number): Stream {
  const most = { max_msgs_per_subject: 1, max_bytes: mailboxBytes, max_age: maxMs * nanosOfMs }
  return {
    name: `IRIS_${host}`,
    what: `the mailbox of ${host}`,
    fixed: { retention: RetentionPolicy.Workqueue },
    config: { ...most, subjects: [`iris.mail.${host}.>`], num_replicas: replicas, discard: DiscardPolicy.New },
  }
}

/** A full log refuses records. Iris then runs nothing that it cannot record there. */
export function logStream(team: string, replicas: number): Stream {
  const place = { subjects: [`iris.log.${inSubject(team)}.*`], num_replicas: replicas }
  return {
    name: `IRIS_LOG_${inSubject(team)}`,
    what: `the log of ${team}`,
    fixed: {},
    config: { ...place, discard: DiscardPolicy.New },
  }
}

/** Whether each host creates what is missing, as on servers without users. Otherwise the keeper does. */
export function eachHostMakes({ info }: NatsConnection): boolean {
  return info?.auth_required !== true
}

/** A stream is missing that another host has to create. */
export class NotMade extends Error {
  readonly stream: Stream

  constructor(stream: Stream) {
    super(`the servers do not have ${stream.what}, which the keeper creates`)
    this.stream = stream
  }
}

/** Undefined if the stream is missing; `unknown` if this host has no right to ask. Rejects if neither is certain. */
export async function lookAt(manager: JetStreamManager, { name }: Stream): Promise<StreamInfo | 'unknown' | undefined> {
  try {
    return await manager.streams.info(name)
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === noStream) return undefined
    if (isForbidden(error)) return 'unknown'
    throw error
  }
}

/** An error from the servers, in words. */
export function whyOf(error: unknown): string {
  if (error instanceof JetStreamApiError && noRoom.has(error.code)) {
    const what = `the NATS server has no room for the mailbox of this host, which reserves ${mailboxBytes / 2 ** 20} MB`
    return `${what}: raise jetstream.max_file_store in its configuration, or free its disk`
  }
  return error instanceof Error ? error.message : String(error)
}

function isForbidden(error: unknown): boolean {
  return (
    error instanceof PermissionViolationError ||
    (error instanceof Error && error.cause instanceof PermissionViolationError)
  )
}

/** Makes a stream that is missing. */
export async function makeStream(
  connection: NatsConnection,
  manager: JetStreamManager,
  { name, config, fixed }: Stream,
): Promise<StreamInfo> {
  if (name === `KV_${hostsBucket}`) {
    await new Kvm(connection).create(hostsBucket, { replicas: config.num_replicas! })
    return manager.streams.info(name)
  }
  return manager.streams.add({ ...config, ...fixed, name })
}

/** Whether an existing stream has the configuration that Iris wants. */
export function isAsWanted(is: StreamConfig, { config }: Stream): boolean {
  return Object.entries(config).every(([key, value]) => isDeepStrictEqual(is[key as keyof StreamConfig], value))
}

/** With these settings, a stream republishes its messages, or takes in messages from other streams and subjects. */
const foreign = { republish: undefined, sources: undefined, mirror: undefined, subject_transform: undefined } as const

/**
 * Restores a stream's configuration if it was changed. Returns false if it was unchanged. Rejects if the server
 * refuses.
 */
export async function restore(manager: JetStreamManager, is: StreamConfig, stream: Stream): Promise<boolean> {
  const isOwn = Object.keys(foreign).every((key) => is[key as keyof StreamConfig] === undefined)
  if (isOwn && isAsWanted(is, stream) && isAsWanted(is, { ...stream, config: stream.fixed })) return false
  const wanted: Record<string, unknown> = { ...stream.config, ...stream.fixed, ...foreign }
  try {
    await manager.streams.update(stream.name, wanted)
    return true
  } catch (error) {
    const what = `its configuration is different, and the server does not change it (${whyOf(error)})`
    throw new Error(`${what}. Remove the stream, and the keeper creates it again`, { cause: error })
  }
}
