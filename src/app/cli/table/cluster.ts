import { callCommand } from './call-command.ts'
import type { CommandSpec } from './spec.ts'

/** Commands for connecting hosts that each have their own Iris. */
export const cluster: readonly CommandSpec[] = [
  callCommand({
    name: 'cluster status',
    group: 'Join other hosts',
    operation: 'cluster_status',
    examples: [['cluster status', 'the other hosts, their teams, and waiting messages']],
    lines: async () => (await import('../../../features/cluster/commands/cluster.ts')).clusterLines,
  }),
  {
    name: 'cluster forget',
    group: 'Join other hosts',
    destructive: true,
    summary: 'Forget a host and its key, and trust its next announcement',
    words: [['[host]', 'The name of the host']],
    options: [
      ['--unreachable', 'Forget all unreachable hosts that nothing here needs'],
      ['--yes', 'Ask nothing'],
    ],
    examples: [
      ['cluster forget studio', 'after you reinstalled it'],
      ['cluster forget --unreachable', 'lists the hosts it would forget, and asks'],
    ],
    load: async () => (await import('../../../features/cluster/commands/cluster.ts')).forget,
  },
  {
    name: 'cluster invite',
    group: 'Join other hosts',
    summary: 'Make a file that lets another host join, and print its user for nats-server',
    words: [['<host>', 'The name of the other host']],
    examples: [['cluster invite tower', 'writes tower.iris-invite, which only you can read']],
    load: async () => (await import('../../../features/cluster/commands/cluster-membership.ts')).invite,
  },
  {
    name: 'cluster init',
    group: 'Join other hosts',
    summary: 'Make this host the keeper of the servers, and print their configuration',
    options: [
      ['--credentials <file>', "The servers' administrator: a .creds file, or user:password"],
      ['--hosts <names>', 'Further hosts that get a mailbox, separated by commas'],
      ['--teams <names>', 'Teams of several other hosts that get a log, separated by commas'],
    ],
    examples: [
      ['cluster init', 'prints a user for the keeper, and checks the servers'],
      ['cluster init --credentials admin.creds', 'if the servers have an administrator'],
      ['cluster init --teams backend --hosts studio,tower', 'when two other hosts have begun to share a team'],
    ],
    load: async () => (await import('../../../features/cluster/commands/cluster-init.ts')).init,
  },
  {
    name: 'cluster join',
    group: 'Join other hosts',
    summary: 'Join other hosts, with an invitation or the address of their server',
    words: [['[file]', 'The file that "iris cluster invite" created']],
    options: [
      ['--servers <addresses>', 'Addresses of NATS servers, separated by commas'],
      ['--name <name>', 'The name of this host'],
      ['--without-users', 'Join even if a server that other machines can reach requires no login'],
    ],
    examples: [
      ['cluster join tower.iris-invite', 'as tower, with the credentials in it'],
      ['cluster join --servers nats://10.0.0.5:4222 --name tower', 'if the server requires no credentials'],
    ],
    load: async () => (await import('../../../features/cluster/commands/cluster-membership.ts')).join,
  },
  {
    name: 'cluster drain',
    group: 'Join other hosts',
    destructive: true,
    summary: 'Accept no new conversations from other hosts until the next start',
    options: [['--off', 'Accept them again']],
    examples: [['cluster drain', 'before you switch this machine off for a while']],
    load: async () => (await import('../../../features/cluster/commands/cluster-membership.ts')).drain,
  },
  {
    name: 'cluster leave',
    group: 'Join other hosts',
    destructive: true,
    summary: 'Leave the other hosts',
    options: [['--force', 'Leave even if messages from other hosts are unanswered']],
    examples: [['cluster leave', 'other hosts no longer list its teams']],
    load: async () => (await import('../../../features/cluster/commands/cluster-membership.ts')).leave,
  },
  {
    name: 'cluster demo',
    group: 'Join other hosts',
    summary: 'Demonstrate three hosts on this machine that ask each other',
    examples: [['cluster demo', 'needs nats-server and Claude Code, and no account']],
    load: async () => (await import('../commands/demo.ts')).clusterDemo,
  },
]
