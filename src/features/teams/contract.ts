import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import { FromTeam, ThreadInput } from '../../base/operation/pair.ts'
import { JsonSchema } from '../../base/protocol/json-schema.ts'
import { limitedByWords } from '../../base/protocol/limit.ts'
import { BreakerView, ProcessStateView, Timestamp } from '../../base/protocol/session-view.ts'
import { StoreView } from '../../base/protocol/store.ts'
import { WaitsFor } from '../../base/protocol/waits-for.ts'

const TeamView = z.object({
  path: z.string().describe('Empty for a team of another Iris'),
  realPath: z
    .string()
    .optional()
    .describe('Where the path led when Iris last read it; absent if it is the path itself'),
  host: z.string().optional().describe('Its machine; absent: this one'),
  description: z.string().optional(),
  color: z.string().optional(),
  limitedUntil: Timestamp.optional().describe('Messages wait until then because of an account limit'),
  limitedBy: z.string().optional().describe(limitedByWords),
})

export const LinkView = z.object({
  state: z
    .enum(['unknown', 'connecting', 'connected', 'unreachable', 'asleep'])
    .describe(
      'As of the last contact; unknown: no contact yet. asleep: that host has its own Iris, which answers when it is back',
    ),
  since: Timestamp.optional(),
  why: z.string().optional().describe('Why it cannot be used'),
  tunnel: z
    .object({ state: z.enum(['open', 'failed']), why: z.string().optional() })
    .optional()
    .describe('The way back over HTTP (enableReverseMcp); absent while no process uses it'),
})
/** Whether the machine of a team can be reached. */
export type LinkView = z.infer<typeof LinkView>

const ConfigProblem = z.string().optional().describe('Why the latest config.yaml is not in force; absent if it is')

export const listTeams = operation({
  name: 'list_teams',
  routes: ['GET /api/teams'],
  title: 'List the teams',
  description: 'Lists the teams that you can ask, and what each knows about.',
  access: 'agent',
  input: z.object({
    query: z.string().max(200).optional().describe('Words in its name or description; a full name shows all details'),
    limit: z.number().int().min(1).max(1000).optional().describe('Default 50'),
  }),
  output: z.object({
    teams: z.array(
      z.object({
        name: z.string(),
        config: TeamView.extend({
          path: TeamView.shape.path.optional(),
          idleTimeout: z.number().optional(),
          accepts: JsonSchema.optional().describe('JSON Schema for messages to this team'),
          returns: JsonSchema.optional().describe('JSON Schema for its answers'),
        }),
        status: z
          .enum(['awake', 'asleep'])
          .optional()
          .describe('awake: it has a process. Not shown to agents, nor for teams of another Iris'),
        link: LinkView.optional().describe('For a team on another machine'),
      }),
    ),
    moreNames: z.array(z.string()).optional().describe('Names of more teams, as many as fit'),
    totalTeams: z.number().int().describe('How many match, listed or not'),
    configProblem: ConfigProblem,
    timestamp: Timestamp,
  }),
  answer: { tokens: 6000, narrow: 'Ask with a query.' },
  readOnly: true,
})

const SessionView = z.object({
  from: z.string(),
  thread: z.string(),
  sessionId: z.string(),
  processState: ProcessStateView,
  pid: z.number().int().optional(),
  heldBy: z
    .number()
    .int()
    .optional()
    .describe('The process in which a person has this conversation open; messages wait until it ends'),
  waitsForPermission: z.string().optional().describe('The tool that is waiting for permission'),
  waitsFor: WaitsFor.optional().describe('Why its message is waiting'),
  unreachableSince: Timestamp.optional().describe(
    'Since when its machine has been unreachable; its process keeps running there',
  ),
  messageCount: z.number().int(),
  queueLength: z.number().int().describe('Messages waiting behind the running one'),
  lastActivity: Timestamp.optional(),
  breaker: BreakerView.optional(),
})

export const IsolationView = z.object({
  level: z.enum(['home', 'sandbox', 'none']).describe('The level in config.yaml'),
  holds: z.boolean().describe('Whether it is in effect'),
  detail: z.string().describe('What its agents cannot see, or why nothing is hidden'),
})
/** What a team's agents cannot see. */
export type IsolationView = z.infer<typeof IsolationView>

export const SetupProblem = z.object({
  kind: z.enum(['settings', 'server', 'plugin', 'import']),
  text: z.string().describe('A sentence for people'),
})
/** A part of a project that Claude Code ignores or could not start. */
export type SetupProblem = z.infer<typeof SetupProblem>

const SetupView = z
  .object({
    problems: z.array(SetupProblem),
    asOf: Timestamp.describe('When its last process reported this'),
  })
  .describe("What Claude Code ignores of the project's files, or could not start; absent: nothing is known")

export const teamStatus = operation({
  name: 'team_status',
  routes: ['GET /api/teams/{team}/status', 'GET /api/status'],
  title: 'Show the state of teams',
  description:
    'Shows which teams are awake (have a running process), their conversations and queues, and the process pool.',
  access: 'agent',
  input: z.object({
    team: z.string().optional().describe('Only this team'),
    fromTeam: FromTeam,
    includeNotifications: z.boolean().optional().describe('Count their notices. Default true'),
  }),
  output: z.object({
    teams: z.array(
      z.object({
        name: z.string(),
        status: z.enum(['awake', 'asleep']),
        sessions: z.array(SessionView).describe('Last used first, at most 100'),
        moreSessions: z.number().int().optional().describe('How many more there are, from all askers'),
        config: TeamView,
        isolation: IsolationView,
        link: LinkView.optional().describe('For a team on another machine'),
        unusable: z
          .object({ what: z.string(), remedy: z.string() })
          .optional()
          .describe('Why its directory cannot be used; messages to it fail until it can'),
        setup: SetupView.optional(),
        notifications: z
          .object({
            pending: z.number().int().describe('Waiting for the next message of its pair'),
            total: z.number().int().describe('All notices ever left, including delivered and expired ones'),
          })
          .optional(),
      }),
    ),
    pool: z.object({ activeProcesses: z.number().int(), maxProcesses: z.number().int() }),
    store: StoreView,
    configProblem: ConfigProblem,
    claudeProblem: z.string().optional().describe('Why Claude Code may not behave as Iris expects'),
    timestamp: Timestamp,
  }),
  answer: { tokens: 10_000, narrow: 'Name a team.' },
  readOnly: true,
})

const PairInput = z.object({
  team: z.string().describe('The team that answers you'),
  fromTeam: FromTeam,
  thread: ThreadInput,
})

const PairView = z.object({ team: z.string(), from: z.string(), thread: z.string(), sessionId: z.string().optional() })

export const teamWake = operation({
  name: 'team_wake',
  routes: ['POST /api/teams/{team}/wake'],
  title: 'Wake a team',
  description:
    'Starts the process that answers you for this team, so that your next message does not wait for it. Calls no model.',
  access: 'program',
  input: PairInput,
  output: PairView.extend({
    status: z.literal('awake'),
    alreadyAwake: z.boolean(),
    duration: z.number().describe('Milliseconds'),
    timestamp: Timestamp,
  }),
  readOnly: false,
})

export const teamLaunch = operation({
  ...teamWake,
  name: 'team_launch',
  routes: ['POST /api/teams/{team}/launch'],
  title: 'Launch a team',
  description: 'The same as team_wake.',
  fieldsOf: 'team_wake',
})

export const teamWakeAll = operation({
  name: 'team_wake_all',
  routes: ['POST /api/teams/wake'],
  title: 'Wake all teams',
  description: 'Runs team_wake for every other team while the pool has free places. Names the teams that stay asleep.',
  access: 'program',
  input: z.object({
    fromTeam: FromTeam,
    thread: ThreadInput,
    parallel: z.boolean().optional().describe('Start several at once. Default false'),
    maxParallel: z.number().int().min(1).max(20).optional().describe('How many at once, 1 to 20. Default 4'),
  }),
  output: z.object({
    from: z.string(),
    message: z.string(),
    teams: z.array(
      z.object({
        team: z.string(),
        status: z.enum(['awake', 'asleep', 'failed']).describe('asleep: the pool had no free place'),
        alreadyAwake: z.boolean(),
        sessionId: z.string().optional(),
        error: z.object({ code: z.string(), message: z.string(), remedy: z.string() }).optional(),
      }),
    ),
    summary: z.object({
      total: z.number().int(),
      alreadyAwake: z.number().int(),
      woken: z.number().int(),
      failed: z.number().int(),
      leftAsleep: z.number().int(),
    }),
    duration: z.number().describe('Milliseconds'),
    timestamp: Timestamp,
  }),
  readOnly: false,
})

export const teamSleep = operation({
  name: 'team_sleep',
  routes: ['POST /api/teams/{team}/sleep'],
  title: 'Put a team to sleep',
  description:
    'Ends the process that answers you for this team. The conversation is kept, and the next message starts a new process. Refused without force while the process is busy.',
  access: 'program',
  input: PairInput.extend({
    force: z.boolean().optional().describe('Cancel the running message. Default false'),
  }),
  output: PairView.extend({
    status: z.enum(['asleep', 'already_asleep']),
    cancelledTurnId: z.string().optional(),
    duration: z.number().describe('Milliseconds'),
    timestamp: Timestamp,
  }),
  readOnly: false,
})

/** The events of this feature, by their types. */
export interface TeamEvents {
  /**
   * `problem`: the installed Claude Code failed its probe, or is not the one that passed. Absent if all is well again.
   */
  readonly 'claude-changed': { readonly problem?: string }
}

declare module '../../base/protocol/event.ts' {
  interface EventTypes extends TeamEvents {}
}
