import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import { Timestamp } from '../../base/protocol/session-view.ts'

const facts = {
  trigger: z.string(),
  scheme: z.string(),
  team: z.string().describe('The team that answers'),
  role: z.string().describe('The role of its messages'),
  path: z.string().describe('The path to which senders post events, on this machine and at settings.publicUrl'),
  url: z.string().optional().describe('The full address at settings.publicUrl'),
}

const count = z.number().int()

export const listTriggers = operation({
  name: 'list_triggers',
  routes: ['GET /api/triggers'],
  title: 'List triggers',
  description: "Lists the triggers in config.yaml, with the outcome of each one's requests since Iris started.",
  access: 'owner',
  isTool: false,
  input: z.object({}),
  output: z.object({
    triggers: z.array(
      z.object({
        ...facts,
        asker: z.string().describe('The name its messages are asked under, in conversations, the log and metrics'),
        problems: z.array(z.string()).describe('Why it accepts no events'),
        requests: z
          .object({
            accepted: count.describe('Became messages'),
            repeated: count.describe('Duplicates of events that had already become messages'),
            leftOut: count.describe('Filtered out by "when"'),
            unusable: count.describe('Had no value at a path that the message or thread uses, or were not JSON'),
            refused: count.describe('Not signed with the secret, or too old'),
            busy: count.describe('Must be sent again: the queue was full, or Iris stopped'),
            tooLarge: count,
            tooSlow: count,
            crowded: count.describe('Closed to make room for later ones while too many were open'),
          })
          .describe('Requests since Iris started'),
        lastProblem: z
          .object({ why: z.string(), at: Timestamp })
          .optional()
          .describe('Why the last rejected event did not become a message'),
      }),
    ),
  }),
  readOnly: true,
})

export const testTrigger = operation({
  name: 'test_trigger',
  routes: ['POST /api/triggers/{trigger}/test'],
  title: 'Show the message that an event would become',
  description:
    'Shows what a trigger would do with an event: the conversation and message it would become, or why it would not. Sends nothing.',
  access: 'owner',
  isTool: false,
  input: z.object({
    trigger: z.string().min(1).max(100).describe('The name of the trigger in config.yaml'),
    event: z.unknown().describe('The event, any JSON value'),
  }),
  output: z.object({
    ...facts,
    result: z.enum(['message', 'leftOut', 'unusable']),
    why: z.string().optional().describe('Why it would not become a message'),
    asker: z.string(),
    thread: z.string().optional(),
    message: z.string().optional(),
    problems: z.array(z.string()).describe('Why the trigger accepts no events now'),
  }),
  readOnly: true,
})
