import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import { Cluster, type ClusterParts } from '../../core/cluster/cluster.ts'
import type { ClusterView } from '../../core/cluster/view.ts'
import type { Environment } from '../../platform/config/home.ts'
import type { LiveConfig } from '../../platform/config/live-config.ts'
import { ClusterRows } from '../../platform/store/cluster.ts'
import type { Store } from '../../platform/store/store.ts'
import { ClusterLink } from './cluster-link.ts'

interface Around {
  readonly live: LiveConfig
  readonly clock: Clock
  readonly log: Log
  readonly secrets: Secrets
  readonly env: Environment
  readonly store: Store
  readonly turns: ClusterParts['turns']
}

/** Composes this host's part in a cluster. Without `cluster` in config.yaml it only remembers the hosts that it knew. */
export function composeCluster({ live, clock, secrets, env, store, turns, ...around }: Around) {
  const log = around.log.for('cluster')
  const cluster = new Cluster({ config: live.current, clock, log, rows: new ClusterRows(store), turns })
  const link = new ClusterLink({ config: live.current(), env, clock, log, secrets, cluster })
  const { hosts, outgoing } = cluster
  const view: ClusterView = {
    self: live.current().cluster?.name,
    hosts,
    state: () => link.state,
    waitingFor: (host) => outgoing.waitingFor(host),
    answering: (host) => cluster.answering(host),
  }
  return { cluster, link, view }
}
