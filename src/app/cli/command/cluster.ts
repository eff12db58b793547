import { callCommand } from './call-command.ts'
import type { CommandSpec } from './spec.ts'

/** Hosts with an Iris of their own. */
export const cluster: readonly CommandSpec[] = [
  callCommand({
    name: 'cluster status',
    group: 'Teams',
    operation: 'cluster_status',
    examples: [['cluster status', 'the other hosts, their teams, and what waits']],
    lines: async () => (await import('../commands/cluster.ts')).clusterLines,
  }),
  {
    name: 'cluster forget',
    group: 'Teams',
    summary: 'Forget a host and its key, so that its next announcement counts as the first',
    words: [['<host>', 'The name of the host']],
    examples: [['cluster forget studio', 'after it was set up anew']],
    load: async () => (await import('../commands/cluster.ts')).forget,
  },
  {
    name: 'cluster demo',
    group: 'Teams',
    summary: 'Join three hosts on this machine by a nats-server, and ask across them',
    examples: [['cluster demo', 'needs nats-server and Claude Code, and no account']],
    load: async () => (await import('../commands/demo.ts')).clusterDemo,
  },
]
