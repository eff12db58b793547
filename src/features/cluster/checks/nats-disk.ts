import { z } from 'zod'
import type { Finding } from '../../../base/protocol/finding.ts'
import { isOlder } from '../../../claude/driver/supported.ts'
import type { Config } from '../../../platform/config/config.ts'

const check = 'cluster'
/** The first version that can write each message to its disk before confirming the message. */
export const firstWithSync = '2.10.0'
const remedy =
  'Put sync_interval: always into "jetstream { … }" of its configuration. Each message then waits for the disk.'

const Monitored = z.object({
  jetstream: z.object({
    config: z.object({ sync_always: z.boolean().default(false), sync_interval: z.number().positive().optional() }),
  }),
})
/** The interval that NATS uses if its configuration has no sync_interval. */
const defaultSeconds = 120
const nanosOfSecond = 1e9

/**
 * How a server writes to its disk, according to `/varz` on its monitoring port. Undefined if the answer cannot be read.
 */
function syncOf(varz: unknown): { readonly isAtOnce: boolean; readonly seconds: number } | undefined {
  const config = Monitored.safeParse(varz).data?.jetstream.config
  if (config === undefined) return undefined
  const { sync_always: isAtOnce, sync_interval: nanos } = config
  return { isAtOnce, seconds: nanos === undefined ? defaultSeconds : Math.round(nanos / nanosOfSecond) }
}

/**
 * Findings about what the servers may lose in a power cut. `versions`: the versions of the servers that answer; without
 * any, there are no findings. `jsonAt` reads a JSON document, and may reject.
 */
export async function ofDisks(
  { replicas, monitor }: Pick<NonNullable<Config['cluster']>, 'replicas' | 'monitor'>,
  versions: readonly string[],
  jsonAt: (url: string) => Promise<unknown>,
): Promise<readonly Finding[]> {
  if (versions.length === 0) return []
  const alone: Finding = {
    check,
    state: 'warn',
    detail: 'each message is on one server only: no other server has a copy of what that one loses',
    remedy: 'Use three servers, and cluster.replicas: 3.',
  }
  const found = replicas === 1 ? [alone] : []
  // The findings about each server already say that these versions cannot write at once.
  if (versions.some((version) => isOlder(version, firstWithSync))) return found
  return [...found, await ofSync(monitor, jsonAt)]
}

async function ofSync(monitor: string | undefined, jsonAt: (url: string) => Promise<unknown>): Promise<Finding> {
  const what = 'Iris cannot tell whether the NATS servers write each message to disk before they confirm it'
  if (monitor === undefined) {
    const detail = `without cluster.monitor, ${what}; without "sync_interval: always", a power cut may lose two minutes`
    return { check, state: 'ok', detail }
  }
  const sync = syncOf(await jsonAt(`${monitor.replace(/\/$/, '')}/varz`).catch(() => undefined))
  if (sync === undefined) {
    const detail = `${what}: ${monitor} does not answer as the monitoring port of a NATS server`
    return {
      check,
      state: 'warn',
      detail,
      remedy: 'Correct cluster.monitor, or start the server with its monitoring port.',
    }
  }
  if (sync.isAtOnce)
    return { check, state: 'ok', detail: 'the NATS server writes each message to disk before it confirms it' }
  const detail = `the NATS server confirms messages before they are on its disk: a power cut may lose ${sync.seconds} s`
  return { check, state: 'warn', detail, remedy }
}
