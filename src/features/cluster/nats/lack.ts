import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { SharedTeam } from '../../../platform/config/keeper-file.ts'
import { directoryStream, logStream, lookAt, mailboxStream, type NotMade } from './streams.ts'

/** The host that maintains the servers: this host, or another one by its name. Undefined if it is unknown. */
export type KeeperName = { readonly self: string; readonly keeper: string | undefined }

/** Why this host is not connected to the others: what the keeper has not created. */
export async function whyNotMade(
  { stream: { name } }: NotMade,
  connection: NatsConnection,
  { self, keeper }: KeeperName,
): Promise<string> {
  const what = name === mailboxStream(self, 1).name ? 'no mailbox' : 'no directory of the hosts'
  if (keeper === undefined) {
    return `${what}: no keeper is known. Run iris cluster init on the host that should be the keeper`
  }
  if (keeper === self) return `${what}: this host is the keeper, but has not created it`
  const manager = await jetstreamManager(connection, { checkAPI: false })
  const isBucketThere = (await lookAt(manager, directoryStream(1)).catch(() => undefined)) !== undefined
  if (!isBucketThere) return `${what}: the keeper ${keeper} is away`
  return `${what}: the keeper ${keeper} is away, or does not know this host (on ${keeper}, run "iris cluster init --hosts ${self}")`
}

/** What is missing for this host's shared teams; undefined if nothing is. */
export async function lackOfLogs(
  teams: readonly SharedTeam[],
  connection: NatsConnection,
  { self, keeper }: KeeperName,
): Promise<string | undefined> {
  const manager = await jetstreamManager(connection, { checkAPI: false })
  const found = await Promise.all(teams.map(async ({ name }) => lookAt(manager, logStream(name, 1))))
  const lacks = teams.flatMap((team, at) => {
    if (found[at] !== undefined && found[at] !== 'unknown') return []
    const is = found[at] === undefined ? 'there is no log of it' : 'the user of this host has no right to its log'
    return [`the team ${team.name} is not shared yet: ${is}. ${lineFor(team, self, keeper)}`]
  })
  return lacks.length === 0 ? undefined : lacks.join('; ')
}

function lineFor({ name, hosts }: SharedTeam, self: string, keeper: string | undefined): string {
  const where = keeper === self ? 'here' : `on the keeper${keeper === undefined ? '' : ` ${keeper}`}`
  return `Run ${where}: iris cluster init --teams ${name} --hosts ${hosts.join(',')}`
}
