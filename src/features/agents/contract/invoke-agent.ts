import { z } from 'zod'
import { operation, wholeAnswer } from '../../../base/operation/operation.ts'
import { Timestamp } from '../../../base/protocol/session-view.ts'
import { TurnResult } from '../../../base/protocol/turn.ts'
import { sendMessage } from '../../messages/contract/messages.ts'

const Team = z.string().optional().describe('Default: your own')

export const invokeAgent = operation({
  name: 'invoke_agent',
  routes: ['POST /api/teams/{team}/agents/{agentName}'],
  title: 'Have an agent do something',
  description:
    'Has an agent of a project do something and returns its answer, as send_message does. The agent has its own tools and model. Each call begins a new conversation, except with continueSessionId.',
  access: 'agent',
  input: z.object({
    agentName: z.string().describe('From list_agents'),
    prompt: z.string().describe('What to do'),
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
    outputDirectory: z.string().describe('Where stream.log and conversation.json of the conversation are'),
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
    refresh: z.boolean().optional().describe('Ask a new Claude Code'),
  }),
  output: z.object({
    team: z.string(),
    asOf: Timestamp.describe('When Claude Code made the list: at the start of a running process, or now'),
    agents: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        model: z.string().optional().describe('Absent: that of the project'),
      }),
    ),
  }),
  readOnly: true,
})
