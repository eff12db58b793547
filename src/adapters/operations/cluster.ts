import type { z } from 'zod'
import { IrisError } from '../../base/protocol/error.ts'
import type { clusterStatus, forgetHost } from '../../base/protocol/operations/cluster.ts'
import type { Domain } from './call.ts'

export function status({ cluster, clock }: Domain): z.output<typeof clusterStatus.output> {
  const { self, hosts } = cluster
  const views = hosts.all().map((host) => ({
    name: host.name,
    state: host.isStranger ? ('stranger' as const) : hosts.isAwake(host) ? ('awake' as const) : ('asleep' as const),
    version: host.entry.version,
    seenAt: host.seenAt,
    teams: host.entry.teams.map(({ name }) => name),
    waiting: cluster.waitingFor(host.name),
    answering: cluster.answering(host.name),
  }))
  return { ...(self !== undefined && { self }), link: cluster.state(), hosts: views, timestamp: clock.now() }
}

export function forget(
  { host }: z.output<typeof forgetHost.input>,
  { cluster: { hosts } }: Domain,
): z.output<typeof forgetHost.output> {
  if (hosts.find(host) === undefined) {
    throw new IrisError('not_found', `There is no host "${host}".`, 'See iris cluster status.')
  }
  hosts.forget(host)
  return { host }
}
