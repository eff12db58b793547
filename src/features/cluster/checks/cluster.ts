import { z } from 'zod'
import { sendForJson } from '../../../adapters/client/send.ts'
import { askDaemon } from '../../../app/doctor/ask-daemon.ts'
import type { CheckContext } from '../../../app/doctor/check-context.ts'
import type { Finding } from '../../../base/protocol/finding.ts'
import { isOlder } from '../../../claude/driver/supported.ts'
import { channelToken } from '../../../platform/config/channel-token.ts'
import { isOnLoopback, type ServerInfo, serverInfo } from '../../../platform/config/nats-server-info.ts'
import { firstWithSync, ofDisks } from './nats-disk.ts'

const check = 'cluster'
const answerWithinMs = 3000
/** Older servers lose acknowledged messages when they are killed. */
const oldestSafe = '2.10.23'

/** Whether the servers between the hosts answer and have what Iris needs, and who can read the credentials. */
export async function cluster(context: CheckContext): Promise<readonly Finding[]> {
  const { config, env } = context
  if (config.cluster === undefined) return []
  const { servers, credentials } = config.cluster
  const infos = await Promise.all(servers.map((url) => serverInfo(url, answerWithinMs)))
  const ofServers = servers.map((url, at) => ofServer(url, infos[at], config.settings.maxMessageBytes))
  // Servers on this machine are only for trials.
  const isTrial = servers.every(isOnLoopback)
  const versions = infos.flatMap((info) => (info?.jetstream && !isTrial ? [info.version] : []))
  const found = [...ofServers, ...(await ofDisks(config.cluster, versions, jsonAt)), ...(await ofLink(context))]
  if (credentials === undefined) return found
  const read = await channelToken({ tokenFile: credentials }, config.home, env)
  const remedy = '"iris cluster join" writes the file again.'
  const ofFile: Finding =
    'problem' in read
      ? { check, state: 'fail', detail: `the credentials of this host: ${read.problem}`, remedy }
      : { check, state: 'ok', detail: 'only you can read the credentials of this host' }
  return [...found, ofFile]
}

const Status = z.object({
  link: z.object({ state: z.string(), why: z.string().optional(), problem: z.string().optional() }),
})

/** Why the daemon is not connected to the other hosts although the servers answer. */
async function ofLink(context: CheckContext): Promise<readonly Finding[]> {
  if (context.daemon === undefined) return []
  try {
    const { link } = Status.parse(await askDaemon(context, '/api/cluster'))
    const remedy = 'See docs/guide/many-machines.md#the-keeper'
    if (link.problem !== undefined) return [{ check, state: 'warn', detail: link.problem, remedy }]
    if (link.state !== 'unreachable') return []
    const detail = `this host is not connected to the others: ${link.why}`
    return [{ check, state: 'fail', detail, remedy: '"iris cluster status" shows when it is connected again.' }]
  } catch {
    // Other checks say what is wrong with the daemon.
    return []
  }
}

async function jsonAt(url: string): Promise<unknown> {
  return (await sendForJson(url, { signal: AbortSignal.timeout(answerWithinMs) })).body
}

function ofServer(url: string, info: ServerInfo | undefined, maxMessageBytes: number): Finding {
  if (info === undefined) {
    const remedy = 'Start nats-server there, or correct cluster.servers in config.yaml.'
    return { check, state: 'fail', detail: `no NATS server answers at ${url}`, remedy }
  }
  const what = `the NATS server at ${url} (${info.version})`
  if (!info.jetstream) {
    const remedy = 'Add "jetstream { store_dir: /var/lib/nats }" to its configuration.'
    return { check, state: 'fail', detail: `${what} has no JetStream`, remedy }
  }
  const isEncrypted = info.tls_required || info.tls_available
  if (url.startsWith('tls://') && !isEncrypted) {
    const remedy = 'Add "tls { cert_file: …, key_file: … }" to its configuration. Iris sends it nothing until then.'
    return { check, state: 'fail', detail: `${what} does not encrypt`, remedy }
  }
  if (!info.auth_required && !isOnLoopback(url)) {
    const remedy = 'Give each host a user with iris cluster invite: docs/guide/many-machines.md#names-and-rights'
    const detail = `${what} asks for no login: anyone who can reach its port can read messages, write as a new host and stop others`
    return { check, state: 'warn', detail, remedy }
  }
  if (isOlder(info.version, oldestSafe)) {
    const remedy = 'Install NATS 2.11 or newer there.'
    const more = isOlder(info.version, firstWithSync) ? ', and the last two minutes of it in a power cut' : ''
    const detail = `${what} can lose acknowledged messages if it is killed${more}`
    return { check, state: 'warn', detail, remedy }
  }
  if (info.max_payload < maxMessageBytes) {
    const remedy = 'Raise max_payload in its configuration, or lower settings.maxMessageBytes.'
    const detail = `${what} carries at most ${info.max_payload} bytes, but messages may have ${maxMessageBytes}`
    return { check, state: 'warn', detail, remedy }
  }
  if (url.startsWith('nats://') && !isOnLoopback(url)) {
    const remedy = 'Use tls:// in cluster.servers, unless the network encrypts: docs/guide/many-machines.md#encryption'
    const detail = `${what} answers, but anyone on the network path could read the messages and the password`
    return { check, state: 'warn', detail, remedy }
  }
  return { check, state: 'ok', detail: `${what} answers` }
}
