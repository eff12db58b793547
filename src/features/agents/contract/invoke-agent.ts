import { z } from 'zod'
import { operation, wholeAnswer } from '../../../base/operation/operation.ts'
import { Timestamp } from '../../../base/protocol/session-view.ts'
import { TurnResult } from '../../../base/protocol/turn.ts'
import { sendMessage } from '../../messages/contract/messages.ts'

const Team = z.string().optional().describe('Default: your own')

export const invokeAgent = operation({
  name: 'invoke_agent',
  routes: ['POST /api/teams/{team}/agents/{agentName}'],
  title: 'Give a task to an agent',
  description:
    'Gives a task to an agent of a project and returns its answer, like send_message. The agent has its own tools and model. Each call starts a new conversation unless you pass continueSessionId.',
  access: 'agent',
  input: z.object({
    agentName: z.string().describe('From list_agents'),
    prompt: z.string().describe('The task'),
    team: Team,
    continueSessionId: z.uuid().optional().describe('sessionId of an earlier call of this agent'),
    model: z
      .string()
      .regex(/^[^\s-]\S*$/, 'the name of a model, such as opus')
      .optional()
      .describe("Instead of the agent's own"),
    timeout: sendMessage.input.shape.timeout.describe('Milliseconds to wait, as in send_message'),
    fromTeam: sendMessage.input.shape.fromTeam,
    idempotencyKey: sendMessage.input.shape.idempotencyKey,
  }),
  output: TurnResult.extend({
    agentName: z.string(),
    outputDirectory: z.string().describe("The directory with the conversation's stream.log and conversation.json"),
  }),
  answer: wholeAnswer,
  wantsAnswer: true,
  readOnly: false,
})

export const listAgents = operation({
  name: 'list_agents',
  routes: ['GET /api/teams/{team}/agents'],
  title: 'List the agents of a project',
  description: "Lists the agents that invoke_agent can run: the project's, the user's and the built-in ones.",
  access: 'agent',
  input: z.object({
    team: Team,
    fromTeam: sendMessage.input.shape.fromTeam,
    refresh: z.boolean().optional().describe('Start a new Claude Code to get the list'),
  }),
  output: z.object({
    team: z.string(),
    asOf: Timestamp.describe('When Claude Code made the list: at the start of a running process, or now'),
    agents: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        model: z.string().optional().describe("Absent: the project's model"),
      }),
    ),
  }),
  readOnly: true,
})
