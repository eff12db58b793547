import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import type { PairIds } from '../../base/protocol/event.ts'
import { Timestamp } from '../../base/protocol/session-view.ts'

const HostView = z.object({
  name: z.string(),
  state: z
    .enum(['awake', 'asleep', 'stranger'])
    .describe('stranger: it shows another key than before, and is not believed'),
  version: z.string().describe('Of its Iris'),
  key: z.string().describe('Its public key, by which this host believes it: Ed25519, base64url'),
  readsKnown: z
    .boolean()
    .describe('False: its Iris is older, and may begin a message again of which the servers have lost the records'),
  signs: z.boolean().describe('False: its Iris is older and does not sign what it announces'),
  newIn: z.array(z.string()).describe('Teams that it has had for less than a week, together with the host in the name'),
  seenAt: Timestamp.describe('When it last announced itself'),
  teams: z.array(z.string()),
  drained: z.boolean().describe('It takes no new conversations'),
  load: z
    .object({ turns: z.number().int(), processes: z.number().int(), freeMiB: z.number().optional() })
    .optional()
    .describe('Messages that it has not answered, its processes, and memory for more of them'),
  waiting: z.number().int().describe('Messages that wait for this host to answer'),
  waitingSince: Timestamp.optional().describe('When the oldest of them was accepted; absent: none waits'),
  answering: z.number().int().describe('Messages of this host that are not answered yet'),
})

const Refused = z.object({
  host: z.string().describe('The name that it claims; "others" for all after the first hundred names'),
  count: z.int(),
  why: z.string().describe('Of the last time'),
})

const LostRecord = z.object({
  at: Timestamp.describe('When this host found it'),
  team: z.string(),
  from: z.string(),
  thread: z.string(),
  was: z.int().describe('The number of the last record that this host had written'),
  is: z.int().describe('The number of the last one that is there; 0: the log is empty'),
})

const Move = z.object({
  at: Timestamp,
  kind: z
    .enum(['taken', 'lost', 'sent'])
    .describe('This host took the conversation, lost it, or sends its own message to the other host'),
  from: z.string(),
  to: z.string(),
  thread: z.string(),
  formerHost: z.string(),
  host: z.string().describe('Where it goes on'),
})

export const clusterStatus = operation({
  name: 'cluster_status',
  routes: ['GET /api/cluster'],
  title: 'Status of the hosts',
  description: 'The other hosts with an Iris of their own: who is awake, which teams each offers, what waits.',
  access: 'program',
  isTool: false,
  input: z.object({}),
  output: z.object({
    drained: z.boolean().describe('This host takes no new conversations'),
    self: z.string().optional().describe('The name of this host; absent: config.yaml has no cluster'),
    key: z.string().optional().describe('The public key of this host; absent: Iris has not started with a cluster yet'),
    link: z.object({
      state: z.enum(['off', 'connecting', 'connected', 'unreachable', 'refused']),
      why: z.string().optional(),
      lost: z.string().optional().describe('What a server had lost when it last came back without it; absent: nothing'),
      problem: z.string().optional().describe('What is missing at the servers, and who makes it; absent: nothing'),
      keeper: z
        .string()
        .optional()
        .describe('The host that makes what the servers need; absent: none is known, or each host does'),
      withoutUsers: z.boolean().optional().describe('The server asks for no login, and other machines can reach it'),
      roundTripMs: z.number().optional().describe('To the server and back, just now; absent: there is no connection'),
    }),
    hosts: z.array(HostView),
    refused: z
      .array(Refused)
      .describe('What claimed to come from other hosts and was not believed, refused or cut, since Iris started'),
    lostRecords: z
      .array(LostRecord)
      .describe(
        'Conversations whose log on the servers has lost records of this host, since Iris started, the newest first',
      ),
    moves: z.array(Move).describe('Conversations that went from one host to another, the newest first; the last 100'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})

export const keepServers = operation({
  name: 'keep_servers',
  routes: ['POST /api/cluster/servers'],
  title: 'Check the servers between hosts',
  description:
    'Makes what the servers need and have not: the directory, a mailbox for each invited host, a log for each shared team. Only the keeper can.',
  access: 'owner',
  isTool: false,
  input: z.object({}),
  output: z.object({
    made: z.array(z.string()).describe('What was missing'),
    changed: z.array(z.string()).describe('What had another configuration'),
    problems: z.array(z.string()).describe('What could not be made, and why'),
  }),
  readOnly: false,
})

export const drainHost = operation({
  name: 'drain_host',
  routes: ['POST /api/cluster/drain'],
  title: 'Drain this host',
  description: 'Until the next start this host takes no new conversations of other hosts. Those it has go on.',
  access: 'owner',
  isTool: false,
  input: z.object({ drained: z.boolean().default(true).describe('False: it takes them again') }),
  output: z.object({
    drained: z.boolean(),
    answering: z.number().int().describe('Messages of other hosts that are not answered yet'),
  }),
  readOnly: false,
})

export const leaveCluster = operation({
  name: 'leave_cluster',
  routes: ['POST /api/cluster/leave'],
  title: 'Leave the other hosts',
  description: 'Other hosts list the teams of this one no more. config.yaml says whether it joins again.',
  access: 'owner',
  isTool: false,
  input: z.object({ force: z.boolean().default(false).describe('Even while messages are not answered') }),
  output: z.object({ answering: z.number().int().describe('Messages of other hosts that are not answered') }),
  readOnly: false,
})

export const forgetHost = operation({
  name: 'forget_host',
  routes: ['POST /api/cluster/hosts/{host}/forget'],
  title: 'Forget a host',
  description: 'Forgets a host and its key. Its next announcement counts as the first one.',
  access: 'owner',
  isTool: false,
  input: z.object({ host: z.string().describe('The name of the host') }),
  output: z.object({ host: z.string() }),
  readOnly: false,
})

export const forgetUnreachableHosts = operation({
  name: 'forget_unreachable_hosts',
  routes: ['POST /api/cluster/forget-unreachable'],
  title: 'Forget unreachable hosts',
  description:
    'Forgets the hosts that cannot be reached and that nothing here needs. Hosts that share a team, have open messages or were invited stay.',
  access: 'owner',
  isTool: false,
  input: z.object({
    hosts: z.array(z.string()).optional().describe('Only these. Default: all'),
    dryRun: z.boolean().default(false).describe('Only say which'),
  }),
  output: z.object({
    hosts: z.array(z.string()).describe('Those that are forgotten, or would be'),
    kept: z.array(z.object({ host: z.string(), why: z.string() })).describe('Unreachable hosts that stay'),
  }),
  readOnly: false,
})

/** The events of this feature, by their types. */
export interface ClusterEvents {
  /** The conversation continues at another host: this one took it or lost it, or sends its own message there. */
  readonly 'conversation-moved': PairIds & {
    readonly kind: 'taken' | 'lost' | 'sent'
    readonly formerHost: string
    readonly host: string
  }
  /** The servers have lost records of this conversation's log: it had ended at the record `was`, and ends at `is` now; 0: it is empty. */
  readonly 'log-records-lost': PairIds & { readonly was: number; readonly is: number }
  /** The servers between hosts have lost a mailbox, a log or the directory, which was made again. */
  readonly 'servers-lost': { readonly what: string }
  /** The host has a team together with the host in the team's full name: from now on it may get its messages. */
  readonly 'host-joined-team': { readonly team: string; readonly host: string }
  /** A person is asked on the host that answers the turn; null: no longer. */
  readonly 'turn-asks-elsewhere': PairIds & { readonly turnId: string; readonly what: string | null }
}

declare module '../../base/protocol/event.ts' {
  interface EventTypes extends ClusterEvents {}
}
