import { z } from 'zod'

/** How far an answer applies: this tool use, its session, its pair in all threads, or a rule in config.yaml. */
export const permissionScopes = ['once', 'session', 'pair', 'always'] as const
export const PermissionScope = z.enum(permissionScopes)
export type PermissionScope = z.infer<typeof PermissionScope>

export const permissionStates = ['pending', 'allowed', 'denied', 'timed_out', 'ended'] as const

/** A question whether a tool may run, as people see it. */
export const PermissionView = z.object({
  permissionId: z.string(),
  state: z.enum(permissionStates),
  team: z.string().describe('The team whose tool it is'),
  from: z.string().describe('The asker of that team'),
  chain: z.array(z.string()).describe('The chain of askers, from the first one to this team'),
  sessionId: z.string(),
  turnId: z.string().nullable(),
  rootTurnId: z.string().nullable().describe('The message from outside that led to it; usually the same turn'),
  toolName: z.string(),
  input: z.record(z.string(), z.unknown()).describe('The whole input of the tool, unchanged'),
  shown: z.string().describe('The input as text, with control and bidirectional characters made visible'),
  inputHash: z.string(),
  directory: z.string().describe('Where it would run'),
  blockedPath: z.string().nullable(),
  risks: z.array(z.string()).describe('What to check carefully'),
  rule: z.string().nullable().describe('The rule that a lasting answer would create'),
  suggestions: z.array(z.string()).describe('Rules that Claude Code suggests, in its syntax'),
  askedAt: z.number().describe('Milliseconds since the epoch'),
  deadline: z.number().describe('Denied if unanswered by then; milliseconds since the epoch'),
  decidedBy: z.string().nullable(),
  decidedAt: z.number().nullable(),
  scope: PermissionScope.nullable(),
  updatedInput: z.record(z.string(), z.unknown()).nullable().describe('The input that the tool ran with, if different'),
  message: z.string().nullable().describe('The message to the agent'),
})
export type PermissionView = z.infer<typeof PermissionView>
