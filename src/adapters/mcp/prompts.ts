import { type GetPromptResult, type Prompt, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import type { Log } from '../../base/lib/log.ts'
import { toIrisError } from '../../base/protocol/error.ts'
import { agentKinds, type getAgent } from '../../features/agents/contract/agents.ts'
import type { Call } from '../../kernel/call/call.ts'
import type { Operations } from '../../kernel/call/operations.ts'

const promptArguments = [
  { name: 'team', description: 'Whose project; your own when you leave it out', required: false },
  { name: 'includeGitDiff', description: 'true to include the uncommitted changes', required: false },
]

/** One for each kind of specialist. */
export const prompts: readonly Prompt[] = Object.entries(agentKinds).map(([name, description]) => ({
  name,
  description: `${description}.`,
  arguments: promptArguments,
}))

export interface AskedPrompt {
  readonly name: string
  readonly arguments?: Readonly<Record<string, string>> | undefined
}

/** Arguments of a prompt are text; these are the texts for a boolean. */
const flags = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
  ['', false],
])

/** The prompt that get_agent returns, as the first message. Throws a ProtocolError when get_agent refuses. */
export async function getPrompt(
  asked: AskedPrompt,
  call: Call,
  operations: Operations,
  log: Log,
): Promise<GetPromptResult> {
  // Some clients send every argument, and an empty text for one that is not given.
  const given = Object.entries(asked.arguments ?? {}).filter(([, text]) => text !== '')
  const { includeGitDiff = '', ...rest } = Object.fromEntries(given)
  // Any other text is passed on, and the contract refuses it with an explanation.
  const input = { ...rest, agentType: asked.name, includeGitDiff: flags.get(includeGitDiff) ?? includeGitDiff }
  try {
    const made = (await operations.call('get_agent', input, call)) as z.output<typeof getAgent.output>
    for (const warning of made.warnings) log.warn(`prompt ${asked.name}: ${warning}`)
    return {
      description: `${agentKinds[made.agentType]}.`,
      messages: [{ role: 'user', content: { type: 'text', text: made.prompt } }],
      _meta: { 'iris/source': made.source, 'iris/warnings': made.warnings },
    }
  } catch (error) {
    const { message, ...data } = toIrisError(error).toJSON()
    if (data.code === 'internal') log.error(`prompt ${asked.name} failed: ${String(error)}`)
    const kind = data.code === 'internal' ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams
    throw new ProtocolError(kind, `${message} ${data.remedy}`, data)
  }
}
