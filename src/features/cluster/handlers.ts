import type { z } from 'zod'
import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type {
  clusterStatus,
  drainHost,
  forgetHost,
  forgetUnreachableHosts,
  keepServers,
  leaveCluster,
} from './contract.ts'
import type { ClusterView } from './view.ts'

/** The dependencies of these operations. */
export interface ClusterParts {
  readonly clock: Clock
  /** Hosts with their own Iris. */
  readonly cluster: ClusterView
}

export async function status({ cluster, clock }: ClusterParts): Promise<z.output<typeof clusterStatus.output>> {
  const { self, hosts } = cluster
  const roundTripMs = await cluster.roundTripMs()
  const views = hosts.all().map((host) => ({
    name: host.name,
    state: host.isStranger ? ('stranger' as const) : hosts.isAwake(host) ? ('awake' as const) : ('asleep' as const),
    version: host.entry.version,
    key: host.key,
    signs: host.entry.count !== undefined,
    readsKnown: hosts.readsKnown(host.name),
    newIn: [...hosts.newTeamsOf(host.name)],
    seenAt: host.seenAt,
    teams: host.entry.teams.map(({ name }) => name),
    drained: host.entry.drained === true,
    ...(host.entry.load && { load: host.entry.load }),
    ...waitingFor(host.name, cluster),
    answering: cluster.answering(host.name),
  }))
  const drained = cluster.isDrained()
  const [key, keeper] = [cluster.publicKey(), cluster.keeper()]
  return {
    ...(self !== undefined && { self }),
    ...(key !== undefined && { key }),
    drained,
    hosts: views,
    moves: [...cluster.moves()],
    timestamp: clock.now(),
    refused: [...cluster.refused()],
    lostRecords: [...cluster.lostRecords()],
    link: {
      ...cluster.state(),
      ...(keeper !== undefined && { keeper }),
      ...(cluster.isOpen() && { withoutUsers: true }),
      ...(roundTripMs !== undefined && { roundTripMs }),
    },
  }
}

function waitingFor(host: string, cluster: ClusterParts['cluster']) {
  const { count: waiting, since: waitingSince } = cluster.waitingFor(host)
  return { waiting, ...(waitingSince !== undefined && { waitingSince }) }
}

export function forget(
  { host }: z.output<typeof forgetHost.input>,
  { cluster: { hosts } }: ClusterParts,
): z.output<typeof forgetHost.output> {
  if (hosts.keyOf(host) === undefined) {
    throw new IrisError('not_found', `There is no host "${host}".`, 'See iris cluster status.')
  }
  hosts.forget([host])
  return { host }
}

export async function forgetUnreachable(
  { hosts: only, dryRun }: z.output<typeof forgetUnreachableHosts.input>,
  { cluster }: ClusterParts,
): Promise<z.output<typeof forgetUnreachableHosts.output>> {
  mustBeJoined(cluster)
  if (cluster.state().state !== 'connected') {
    const what = 'This host is cut off from the others, so it cannot tell which of them are unreachable.'
    throw new IrisError('not_allowed', what, 'See "iris cluster status", and try again once it is connected.')
  }
  const { hosts: all, kept } = await cluster.forgettable()
  const hosts = all.filter((host) => only?.includes(host) ?? true)
  if (!dryRun) cluster.hosts.forget(hosts)
  return { hosts, kept: [...kept] }
}

export async function keep({ cluster }: ClusterParts): Promise<z.output<typeof keepServers.output>> {
  mustBeJoined(cluster)
  const kept = await cluster.keepServers()
  if (kept === undefined)
    throw new IrisError(
      'not_allowed',
      'This host is not the keeper of the servers.',
      'Run iris cluster init here first.',
    )
  const { made, changed, problems } = kept
  return { made: [...made], changed: [...changed], problems: [...problems] }
}

export function drain(
  { drained }: z.output<typeof drainHost.input>,
  { cluster }: ClusterParts,
): z.output<typeof drainHost.output> {
  mustBeJoined(cluster)
  cluster.drain(drained)
  return { drained, answering: cluster.answeringAll() }
}

export async function leave(
  { force }: z.output<typeof leaveCluster.input>,
  { cluster }: ClusterParts,
): Promise<z.output<typeof leaveCluster.output>> {
  mustBeJoined(cluster)
  const answering = cluster.answeringAll()
  if (answering > 0 && !force) {
    const what = `${answering} messages from other hosts are not answered yet.`
    throw new IrisError('process_busy', what, 'Run "iris cluster drain" and wait, or leave with --force.')
  }
  await cluster.leave()
  return { answering }
}

function mustBeJoined({ self }: ClusterParts['cluster']): void {
  if (self === undefined)
    throw new IrisError('not_found', 'No other machines are connected.', 'Join it to others with "iris cluster join".')
}
