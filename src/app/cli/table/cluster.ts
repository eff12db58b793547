import { callCommand } from './call-command.ts'
import type { CommandSpec } from './spec.ts'

/** Hosts with an Iris of their own. */
export const cluster: readonly CommandSpec[] = [
  callCommand({
    name: 'cluster status',
    group: 'Join other hosts',
    operation: 'cluster_status',
    examples: [['cluster status', 'the other hosts, their teams, and what waits']],
    lines: async () => (await import('../../../features/cluster/commands/cluster.ts')).clusterLines,
  }),
  {
    name: 'cluster forget',
    group: 'Join other hosts',
    destructive: true,
    summary: 'Forget a host and its key; its next announcement counts as the first',
    words: [['[host]', 'The name of the host']],
    options: [
      ['--unreachable', 'Forget all hosts that cannot be reached and that nothing here needs'],
      ['--yes', 'Ask nothing'],
    ],
    examples: [
      ['cluster forget studio', 'after it was installed again'],
      ['cluster forget --unreachable', 'lists what it would forget, and asks'],
    ],
    load: async () => (await import('../../../features/cluster/commands/cluster.ts')).forget,
  },
  {
    name: 'cluster invite',
    group: 'Join other hosts',
    summary: 'Make a file with which another host joins, and print its user for nats-server',
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
      ['cluster init --credentials admin.creds', 'where the servers have an administrator'],
      ['cluster init --teams backend --hosts studio,tower', 'when two other hosts have begun to share a team'],
    ],
    load: async () => (await import('../../../features/cluster/commands/cluster-init.ts')).init,
  },
  {
    name: 'cluster join',
    group: 'Join other hosts',
    summary: 'Join this host with others, by an invitation or by the address of their server',
    words: [['[file]', 'The file that iris cluster invite has made']],
    options: [
      ['--servers <addresses>', 'Addresses of NATS servers, with commas'],
      ['--name <name>', 'The name of this host'],
      ['--without-users', 'Also where a server that other machines reach asks for no login'],
    ],
    examples: [
      ['cluster join tower.iris-invite', 'as tower, with the credentials in it'],
      ['cluster join --servers nats://10.0.0.5:4222 --name tower', 'where the server asks for no credentials'],
    ],
    load: async () => (await import('../../../features/cluster/commands/cluster-membership.ts')).join,
  },
  {
    name: 'cluster drain',
    group: 'Join other hosts',
    destructive: true,
    summary: 'Take no new conversations of other hosts until the next start',
    options: [['--off', 'Take them again']],
    examples: [['cluster drain', 'before this machine is switched off for a while']],
    load: async () => (await import('../../../features/cluster/commands/cluster-membership.ts')).drain,
  },
  {
    name: 'cluster leave',
    group: 'Join other hosts',
    destructive: true,
    summary: 'Leave the other hosts',
    options: [['--force', 'Even while messages of other hosts are not answered']],
    examples: [['cluster leave', 'others list its teams no more']],
    load: async () => (await import('../../../features/cluster/commands/cluster-membership.ts')).leave,
  },
  {
    name: 'cluster demo',
    group: 'Join other hosts',
    summary: 'Show three joined hosts on this machine, which ask each other',
    examples: [['cluster demo', 'needs nats-server and Claude Code, and no account']],
    load: async () => (await import('../commands/demo.ts')).clusterDemo,
  },
]
