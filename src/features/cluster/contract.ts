import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import type { PairIds } from '../../base/protocol/event.ts'
import { Timestamp } from '../../base/protocol/session-view.ts'

const HostView = z.object({
  name: z.string(),
  state: z
    .enum(['awake', 'asleep', 'stranger'])
    .describe('stranger: its key differs from the known one, so it is not trusted'),
  version: z.string().describe('The version of its Iris'),
  key: z.string().describe('The public key with which this host verifies it: Ed25519, base64url'),
  readsKnown: z
    .boolean()
    .describe('False: its Iris is older and may start a message again if the servers lost its records'),
  signs: z.boolean().describe('False: its Iris is older and does not sign what it announces'),
  newIn: z
    .array(z.string())
    .describe('Teams it began to share within the last week; backend@tower is one that it shares with the host tower'),
  seenAt: Timestamp.describe('When it last announced itself'),
  teams: z.array(z.string()),
  drained: z.boolean().describe('It takes no new conversations'),
  load: z
    .object({ turns: z.number().int(), processes: z.number().int(), freeMiB: z.number().optional() })
    .optional()
    .describe('Its unanswered messages, its processes, and the memory for more processes'),
  waiting: z.number().int().describe("Messages waiting for that host's answer"),
  waitingSince: Timestamp.optional().describe('When the oldest of them was accepted; absent: none is waiting'),
  answering: z.number().int().describe('Messages from that host that are not answered yet'),
})

const Refused = z.object({
  host: z.string().describe('The host name it claims; "others" after the first hundred names'),
  count: z.int(),
  why: z.string().describe('The reason for the latest refusal'),
})

const LostRecord = z.object({
  at: Timestamp.describe('When this host noticed the loss'),
  team: z.string(),
  from: z.string(),
  thread: z.string(),
  was: z.int().describe('The number of the last record this host wrote'),
  is: z.int().describe('The number of the last record still there; 0: the log is empty'),
})

const Move = z.object({
  at: Timestamp,
  kind: z
    .enum(['taken', 'lost', 'sent'])
    .describe('This host took the conversation over, lost it, or sends its message to the other host'),
  from: z.string(),
  to: z.string(),
  thread: z.string(),
  formerHost: z.string(),
  host: z.string().describe('Where the conversation continues'),
})

export const clusterStatus = operation({
  name: 'cluster_status',
  routes: ['GET /api/cluster'],
  title: 'Status of the hosts',
  description: 'Lists the other hosts that run Iris: which are awake, which teams each offers, and what is waiting.',
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
      lost: z.string().optional().describe('What a server had lost when it last came back; absent: nothing'),
      problem: z.string().optional().describe('What is missing on the servers, and who creates it; absent: nothing'),
      keeper: z
        .string()
        .optional()
        .describe('The host that sets up the servers; absent: none is known, or every host does'),
      withoutUsers: z
        .boolean()
        .optional()
        .describe('The server requires no login and is reachable from other machines'),
      roundTripMs: z.number().optional().describe('Current round trip to the server; absent: no connection'),
    }),
    hosts: z.array(HostView),
    refused: z.array(Refused).describe('Data attributed to other hosts that was rejected or cut, since Iris started'),
    lostRecords: z
      .array(LostRecord)
      .describe(
        'Conversations whose log on the servers lost records of this host since Iris started, the newest first',
      ),
    moves: z.array(Move).describe('The last 100 conversations that moved between hosts, the newest first'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})

export const keepServers = operation({
  name: 'keep_servers',
  routes: ['POST /api/cluster/servers'],
  title: 'Check the servers between hosts',
  description:
    'Creates what is missing on the servers: the directory, a mailbox for each invited host, a log for each shared team. Only the keeper can.',
  access: 'owner',
  isTool: false,
  input: z.object({}),
  output: z.object({
    made: z.array(z.string()).describe('What was missing'),
    changed: z.array(z.string()).describe('What had a different configuration'),
    problems: z.array(z.string()).describe('What could not be created, and why'),
  }),
  readOnly: false,
})

export const drainHost = operation({
  name: 'drain_host',
  routes: ['POST /api/cluster/drain'],
  title: 'Drain this host',
  description: 'Until its next start, this host accepts no new conversations from other hosts. Existing ones continue.',
  access: 'owner',
  isTool: false,
  input: z.object({ drained: z.boolean().default(true).describe('False: accept new conversations again') }),
  output: z.object({
    drained: z.boolean(),
    answering: z.number().int().describe('Messages from other hosts that are not answered yet'),
  }),
  readOnly: false,
})

export const leaveCluster = operation({
  name: 'leave_cluster',
  routes: ['POST /api/cluster/leave'],
  title: 'Leave the other hosts',
  description: "Removes this host's teams from the lists of other hosts. config.yaml decides whether it joins again.",
  access: 'owner',
  isTool: false,
  input: z.object({ force: z.boolean().default(false).describe('Leave even while messages are unanswered') }),
  output: z.object({ answering: z.number().int().describe('Messages from other hosts that are not answered yet') }),
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
    'Forgets unreachable hosts that nothing here needs. Hosts that share a team, have open messages or were invited are kept.',
  access: 'owner',
  isTool: false,
  input: z.object({
    hosts: z.array(z.string()).optional().describe('Only these hosts. Default: all unreachable hosts'),
    dryRun: z.boolean().default(false).describe('Only list the hosts'),
  }),
  output: z.object({
    hosts: z.array(z.string()).describe('The hosts that were forgotten, or would be'),
    kept: z.array(z.object({ host: z.string(), why: z.string() })).describe('Unreachable hosts that were kept'),
  }),
  readOnly: false,
})

/** The events of this feature, by their types. */
export interface ClusterEvents {
  /**
   * The conversation moved between hosts: this host took it over, lost it, or sends its own message to the other host.
   */
  readonly 'conversation-moved': PairIds & {
    readonly kind: 'taken' | 'lost' | 'sent'
    readonly formerHost: string
    readonly host: string
  }
  /**
   * The servers lost records from this conversation's log: the number of its last record was `was`, and is now `is`, or
   * 0 if the log is empty.
   */
  readonly 'log-records-lost': PairIds & { readonly was: number; readonly is: number }
  /** The servers lost a mailbox, a log or the directory, and it was created again. */
  readonly 'servers-lost': { readonly what: string }
  /** The host now shares a team with the host that is named in `team`, so it may get the team's messages. */
  readonly 'host-joined-team': { readonly team: string; readonly host: string }
  /** A person is asked for permission on the host that answers the turn. Null if nobody is asked any more. */
  readonly 'turn-asks-elsewhere': PairIds & { readonly turnId: string; readonly what: string | null }
}

declare module '../../base/protocol/event.ts' {
  interface EventTypes extends ClusterEvents {}
}
