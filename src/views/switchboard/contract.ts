import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import type { PairIds } from '../../base/protocol/event.ts'
import { limitedByWords } from '../../base/protocol/limit.ts'
import { SwitchboardSession, Timestamp } from '../../base/protocol/session-view.ts'
import { LinkView } from '../../features/teams/contract.ts'

const count = z.number().int()

export const getSwitchboard = operation({
  name: 'get_switchboard',
  routes: ['GET /api/switchboard'],
  title: 'Show the switchboard',
  description: 'Returns the teams, their conversations in detail, and who asked whom recently.',
  access: 'program',
  isTool: false,
  input: z.object({
    status: z.enum(['live', 'archived', 'all']).optional().describe('Default live'),
    awake: z.boolean().optional().describe('Only those with a running process'),
    query: z.string().max(200).optional().describe('Words in names, thread or id'),
    memory: z.boolean().optional().describe('Measure the memory of running processes. Default false'),
    limit: z.number().int().min(1).max(5000).optional().describe('Default 1000'),
    cursor: z
      .string()
      .regex(/^\d+:\d+$/)
      .optional()
      .describe('nextCursor of the previous page'),
  }),
  output: z.object({
    teams: z.array(
      z.object({
        name: z.string(),
        description: z.string().optional(),
        color: z.string().optional(),
        path: z.string().describe('Empty for a team of another Iris'),
        host: z.string().optional().describe('Its machine; absent if it is this one'),
        limitedUntil: Timestamp.optional().describe('Messages wait until then because its account is over a limit'),
        limitedBy: z.string().optional().describe(limitedByWords),
        link: LinkView.optional().describe('For a team on another machine'),
        terminalCommand: z
          .string()
          .optional()
          .describe(
            'The shell command to take a conversation over; append its session id. Absent if only the other Iris knows it',
          ),
      }),
    ),
    sessions: z
      .array(SwitchboardSession)
      .describe('Last used first; the first page also has every conversation with a process or a queue'),
    nextCursor: z.string().optional().describe('There are more'),
    traffic: z
      .array(z.object({ from: z.string(), to: z.string(), lastHour: count, lastDay: count, lastAt: Timestamp }))
      .describe('Messages from asker to team in the last hour and day'),
    pool: z.object({ activeProcesses: count, maxProcesses: count }),
    timestamp: Timestamp,
  }),
  readOnly: true,
})

/** The events of this feature, by their types. */
export interface SwitchboardEvents {
  /** The session's state after one or more other events. Published at most four times a second. */
  readonly 'session-changed': PairIds & {
    readonly session: SwitchboardSession
    readonly activeProcesses: number
    readonly maxProcesses: number
  }
}

declare module '../../base/protocol/event.ts' {
  interface EventTypes extends SwitchboardEvents {}
}
