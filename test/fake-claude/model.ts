import { failRequest, tooLongText } from './fail-request.ts'
import type { McpClient } from './mcp-client.ts'
import { mcpOutput, type ToolOutput, useTool } from './tool.ts'
import type { Turn } from './turn.ts'
import type { ModelEvent, ModelLink } from './world.ts'

interface Use {
  readonly id: string
  readonly name: string
  readonly input: Record<string, unknown>
}

/** What the Messages API is sent: the fields that the scripted model reads. */
interface Said {
  readonly role: 'user' | 'assistant'
  readonly content: unknown
}

/**
 * Says and does what a scripted model answers, as the real one does: for specs whose model is a function. It knows the
 * tools of Iris, Bash, Read and Write; of earlier turns the model sees the texts.
 */
export async function followModel(turn: Turn): Promise<void> {
  const { session, message } = turn
  const link = session.world.model
  if (link === undefined) throw new Error('this fake has no model')
  const earlier = session.turns.flatMap(({ text, answer }): Said[] => [
    { role: 'user', content: text },
    ...(answer === '' ? [] : [{ role: 'assistant' as const, content: answer }]),
  ])
  const messages: Said[] = [...earlier, { role: 'user', content: message.content }]
  for (;;) {
    const uses = await hear(turn, link, messages)
    if (uses.length === 0) return
    const before = turn.folded.length
    const results: unknown[] = []
    for (const use of uses) {
      await useTool(turn, { ...use, run: (granted) => runTool(turn, link, use.name, granted) })
      const { lastToolResult: content, lastToolFailed: is_error } = turn
      results.push({ type: 'tool_result', tool_use_id: use.id, content, is_error })
    }
    const joined = turn.folded.slice(before).map(({ text }) => ({ type: 'text', text }))
    const called = uses.map((use) => ({ type: 'tool_use', ...use }))
    messages.push({ role: 'assistant', content: called }, { role: 'user', content: [...results, ...joined] })
  }
}

/** Says one answer of the model, and returns the tools that it uses. */
async function hear(turn: Turn, link: ModelLink, messages: readonly Said[]): Promise<readonly Use[]> {
  const { session } = turn
  const body = {
    model: session.model,
    stream: true,
    ...(session.agent && { system: [{ type: 'text', text: session.agent.prompt }] }),
    messages,
    tools: session.toolNames.map((name) => ({ name })),
  }
  const uses: Use[] = []
  let block: { readonly type: string; readonly id: string; readonly name: string; said: string } | undefined
  for await (const event of link.ask(body, session.id, turn.signal)) {
    if (event.status !== undefined) {
      const { type = 'api_error', message = '' } = event.error ?? {}
      const isTooLong = message.startsWith('prompt is too long')
      failRequest(turn, event.status, type, isTooLong ? tooLongText : `API Error: ${event.status} ${message}`)
      return []
    }
    if (event.type === 'content_block_start') {
      const { type = '', id = '', name = '' } = event.content_block ?? {}
      block = { type, id, name, said: '' }
    } else if (event.type === 'content_block_delta' && block !== undefined) {
      const piece = pieceOf(event)
      block.said += piece
      if (block.type === 'text' && piece !== '') turn.speech.partial(piece)
    } else if (event.type === 'content_block_stop' && block !== undefined) {
      if (block.type === 'thinking') turn.speech.thinking(block.said)
      if (block.type === 'text') turn.answer = turn.speech.endText()
      if (block.type === 'tool_use')
        uses.push({ id: block.id, name: block.name, input: JSON.parse(block.said || '{}') })
      block = undefined
    }
  }
  return uses
}

function pieceOf({ delta = {} }: ModelEvent): string {
  return delta.text ?? delta.thinking ?? delta.partial_json ?? ''
}

async function runTool(turn: Turn, link: ModelLink, name: string, use: Omit<Use, 'name'>): Promise<ToolOutput> {
  const [, server = '', tool = ''] = /^mcp__([^_]+(?:_[^_]+)*)__(.+)$/.exec(name) ?? []
  const client: McpClient | undefined = turn.session.servers.get(server)
  if (client !== undefined) return mcpOutput(await client.call(tool, use.input, use.id))
  return link.runTool(name, use.input, turn.signal)
}
