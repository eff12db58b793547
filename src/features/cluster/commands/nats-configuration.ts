import { canSyncAlways, isOnLoopback } from '../../../platform/config/nats-server-info.ts'
import { keeperUser } from '../../../platform/config/nats-user.ts'

const usualPort = '4222'

/**
 * The configuration for this version of nats-server. If no server answers, `version` is undefined, and the line that
 * depends on it is a comment.
 */
export function configurationOf(url: string, version: string | undefined, credentials: string): string {
  const port = new URL(url).port || usualPort
  const sync = version !== undefined && canSyncAlways(version) ? ', sync_interval: always' : ''
  const [user = '', password = ''] = credentials.split(':')
  const isOwn = user.startsWith('keeper_')
  const users = isOwn ? keeperUser(user, password).replaceAll('\n', '\n    ') : '# your administrator'
  return [
    `listen: ${isOnLoopback(url) ? '127.0.0.1' : '0.0.0.0'}:${port}`,
    ...(version === undefined ? ['# nats-server from 2.10 on: add sync_interval: always to the next line'] : []),
    `jetstream { store_dir: /var/lib/nats${sync} }`,
    ...(url.startsWith('tls://') ? ['tls { cert_file: /etc/nats/cert.pem, key_file: /etc/nats/key.pem }'] : []),
    'authorization {',
    '  users: [',
    `    ${users}`,
    '    # and the users that "iris cluster invite" prints',
    '  ]',
    '}',
  ].join('\n')
}

/** The cost of waiting for the disk, or what a power cut may lose without it. */
export function costOf(version: string | undefined): string {
  const cost = 'With "sync_interval: always", each message waits for the disk of the server.'
  if (version === undefined) return `No server answers yet. ${cost}`
  if (canSyncAlways(version)) return `${cost} Without it a power cut may lose the last two minutes.`
  const lost = 'A power cut may lose the last two minutes of what it has confirmed'
  const then = 'answers come late, and a message of a team on several hosts may end in_doubt'
  return `nats-server ${version} does not start with sync_interval: always. ${lost}: ${then}.`
}
