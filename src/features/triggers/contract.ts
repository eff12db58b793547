import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import { Timestamp } from '../../base/protocol/session-view.ts'

const facts = {
  trigger: z.string(),
  scheme: z.string(),
  team: z.string().describe('The team that answers'),
  role: z.string().describe('The role of its messages'),
  path: z.string().describe('Where senders post events, on this machine and below settings.publicUrl'),
  url: z.string().optional().describe('The same at settings.publicUrl'),
}

const count = z.number().int()

export const listTriggers = operation({
  name: 'list_triggers',
  routes: ['GET /api/triggers'],
  title: 'List the triggers, and what came of their events',
  description: 'Lists the triggers of config.yaml, with what came of the requests of each since Iris started.',
  access: 'owner',
  isTool: false,
  input: z.object({}),
  output: z.object({
    triggers: z.array(
      z.object({
        ...facts,
        asker: z.string().describe('As which its messages ask: in conversations, the log and metrics'),
        problems: z.array(z.string()).describe('Why it takes no event'),
        requests: z
          .object({
            accepted: count.describe('Became messages'),
            repeated: count.describe('Had become messages before'),
            leftOut: count.describe('Left out by when'),
            unusable: count.describe('Lacked a path of the message or of the thread, or were no JSON'),
            refused: count.describe('Not made with the secret, or too old'),
            busy: count.describe('Have to come again: the queue was full, or Iris stopped'),
            tooLarge: count,
            tooSlow: count,
            crowded: count.describe('Made room for later ones, while too many were open'),
          })
          .describe('Requests since Iris started'),
        lastProblem: z
          .object({ why: z.string(), at: Timestamp })
          .optional()
          .describe('Why the last event that could not become a message did not'),
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
    'Shows what a trigger would do with an event: the conversation and the message, or why there would be none. Sends nothing.',
  access: 'owner',
  isTool: false,
  input: z.object({
    trigger: z.string().min(1).max(100).describe('The name of the trigger in config.yaml'),
    event: z.unknown().describe('The event, any JSON value'),
  }),
  output: z.object({
    ...facts,
    result: z.enum(['message', 'leftOut', 'unusable']),
    why: z.string().optional().describe('Why it would become no message'),
    asker: z.string(),
    thread: z.string().optional(),
    message: z.string().optional(),
    problems: z.array(z.string()).describe('Why the trigger takes no event now'),
  }),
  readOnly: true,
})
