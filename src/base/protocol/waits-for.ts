import { z } from 'zod'

const Timestamp = z.number()

const waitKinds = ['limit', 'machine', 'question', 'person', 'background', 'process', 'failures', 'api'] as const

/** Why an accepted message is waiting, and what a person can do about it. */
export const WaitsFor = z.object({
  kind: z
    .enum(waitKinds)
    .describe(
      'limit: its account is over a limit. machine: its machine cannot be reached. question: a person must answer a permission request. person: somebody has the conversation open. background: a background session of Claude Code has it open. process: no process is free. failures: its process failed five times and is not started again yet. api: the model refuses, and Claude Code tries again',
    ),
  since: Timestamp.describe('Since when the message has been waiting for it, milliseconds since the epoch'),
  until: Timestamp.optional().describe('When the wait ends at the latest; absent: unknown'),
  what: z.string().describe('What it waits for, in words'),
  remedy: z.string().describe('What a person can do'),
})
export type WaitsFor = z.infer<typeof WaitsFor>
