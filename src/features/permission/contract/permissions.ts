import { z } from 'zod'
import { operation, pageAnswer } from '../../../base/operation/operation.ts'

/** How far an answer applies: this tool use, its session, its pair in all threads, or a rule in config.yaml. */
export const permissionScopes = ['once', 'session', 'pair', 'always'] as const
export const PermissionScope = z.enum(permissionScopes)
export type PermissionScope = z.infer<typeof PermissionScope>

export const permissionStates = ['pending', 'allowed', 'denied', 'timed_out', 'ended'] as const

/** A question whether a tool may run, as people see it. */
export const PermissionView = z.object({
  permissionId: z.string(),
  state: z.enum(permissionStates),
  team: z.string().describe('Whose tool it is'),
  from: z.string().describe('Who asked that team'),
  chain: z.array(z.string()).describe('All who asked, from the first asker to this team'),
  sessionId: z.string(),
  turnId: z.string().nullable(),
  toolName: z.string(),
  input: z.record(z.string(), z.unknown()).describe('The whole input of the tool, unchanged'),
  shown: z.string().describe('The same as text, with control and bidirectional characters made visible'),
  inputHash: z.string(),
  directory: z.string().describe('Where it would run'),
  blockedPath: z.string().nullable(),
  risks: z.array(z.string()).describe('What to look at twice'),
  rule: z.string().nullable().describe('The rule that a lasting answer would create'),
  suggestions: z.array(z.string()).describe('Rules that Claude Code suggests, in its syntax'),
  askedAt: z.number().describe('Milliseconds since the epoch'),
  deadline: z.number().describe('If unanswered by then, it is denied; milliseconds since the epoch'),
  decidedBy: z.string().nullable(),
  decidedAt: z.number().nullable(),
  scope: PermissionScope.nullable(),
  updatedInput: z.record(z.string(), z.unknown()).nullable().describe('The input that the tool ran with, if another'),
  message: z.string().nullable().describe('The message to the agent'),
})
export type PermissionView = z.infer<typeof PermissionView>

export const listPermissions = operation({
  name: 'list_permissions',
  routes: ['GET /api/permissions'],
  title: 'List permission questions',
  description: 'Lists questions of agents whether a tool may run: those that wait for an answer, or past ones.',
  access: 'owner',
  input: z.object({
    state: z.enum(['pending', 'decided', 'all']).optional().describe('Default "pending"'),
    team: z.string().optional().describe('Only those of this team'),
    limit: z.number().int().min(1).max(1000).optional().describe('Default 100, newest first'),
  }),
  output: z.object({ permissions: z.array(PermissionView), now: z.number().describe('Milliseconds since the epoch') }),
  answer: { ...pageAnswer, narrow: 'Ask with a smaller limit, or for one team.' },
  readOnly: true,
})

export const answerPermission = operation({
  name: 'answer_permission',
  routes: ['POST /api/permissions/{permissionId}'],
  title: 'Answer a permission question',
  description: 'Allows or denies one tool use that waits for it. The first answer counts.',
  access: 'owner',
  input: z.object({
    permissionId: z.string(),
    decision: z.enum(['allow', 'deny']),
    scope: PermissionScope.optional().describe('How long the answer holds. Default "once"'),
    rule: z
      .string()
      .optional()
      .describe('For a scope beyond once: a rule in Claude Code syntax instead of the exact one'),
    updatedInput: z.record(z.string(), z.unknown()).optional().describe('Runs the tool with this input instead'),
    message: z.string().max(2000).optional().describe('Message to the agent, with a denial'),
    inputHash: z.string().optional().describe('The answer is refused if the question has another input'),
  }),
  output: z.object({
    status: z.enum(['answered', 'already_answered', 'ended']),
    permission: PermissionView,
  }),
  readOnly: false,
  destructive: true,
})
