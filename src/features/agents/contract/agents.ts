import { z } from 'zod'
import { operation } from '../../../base/operation/operation.ts'

/** The kinds of specialists for which Iris has a prompt, each with a description. */
export const agentKinds = {
  'tech-writer': 'Writes and corrects documentation',
  'unit-tester': 'Writes unit tests',
  'integration-tester': 'Writes tests of how the parts work together',
  'code-reviewer': 'Reviews code and changes nothing',
  debugger: 'Finds the cause of a fault and fixes it',
  refactorer: 'Improves the shape of code and keeps its behaviour',
  changeloger: 'Writes the changelog',
  'error-handler': 'Adds error handling: failures typed, handled and reported',
  'example-writer': 'Writes examples that run',
  logger: 'Adds logging and puts it in order',
} as const

export type AgentKind = keyof typeof agentKinds
export const agentTypes = Object.keys(agentKinds) as [AgentKind, ...AgentKind[]]

export const getAgent = operation({
  name: 'get_agent',
  routes: ['POST /api/agents/{agentType}/prompt'],
  title: "Get a specialist's prompt",
  description:
    'Returns a prompt for a specialist, made for a project: its languages, frameworks, instructions and templates. Follow it, or give it to a subagent.',
  access: 'agent',
  input: z.object({
    agentType: z.enum(agentTypes),
    team: z.string().optional().describe('Default: your own'),
    context: z.record(z.string(), z.unknown()).optional().describe('Variables for the template; they take precedence'),
    includeGitDiff: z.boolean().optional().describe('Include uncommitted changes. Default false'),
  }),
  output: z.object({
    agentType: z.enum(agentTypes),
    prompt: z.string(),
    source: z.enum(['project', 'home', 'built-in']).describe('Where the template was found'),
    path: z.string().optional().describe("The template's path, unless built in"),
    availableAgents: z.array(z.string()),
    warnings: z.array(z.string()).describe('Files that could not be used, and why'),
  }),
  prompts: {
    field: 'agentType',
    kinds: agentKinds,
    arguments: {
      team: 'Whose project; your own when you leave it out',
      includeGitDiff: 'true to include the uncommitted changes',
    },
  },
  answer: { tokens: 24_000, narrow: 'Read the project yourself.' },
  readOnly: true,
})
