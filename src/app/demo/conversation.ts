import { type Content, type MessagesBody, textsOf } from './messages-api.ts'

export interface ToolResult {
  readonly toolUseId: string
  readonly name: string
  readonly input: unknown
  readonly text: string
  readonly isError: boolean
}

/**
 * What a script needs to know about the conversation, which Claude Code resends each time. Claude Code's own reminders
 * are left out.
 */
export interface Conversation {
  /** Every text of the user's side, oldest first; the last one is what the model is to answer. */
  readonly userTexts: readonly string[]
  readonly lastUserText: string
  readonly earlierUserTexts: readonly string[]
  readonly assistantTexts: readonly string[]
  /** Results that came back since the last user text: empty means that this turn has used no tool yet. */
  readonly toolResults: readonly ToolResult[]
  readonly allToolResults: readonly ToolResult[]
  /** Rounds of tool use since the last user text: 0 when the model sees that text for the first time. */
  readonly step: number
  /** Names of the tools that the model may use. */
  readonly toolNames: readonly string[]
  readonly systemText: string
}

export function parseConversation(body: MessagesBody): Conversation {
  const uses = new Map<string, { name: string; input: unknown }>()
  const userTexts: string[] = []
  const assistantTexts: string[] = []
  const systemTexts = textsOf(body.system)
  const results: ToolResult[] = []
  let resultsBefore = 0
  let step = 0
  for (const { role, content } of body.messages) {
    if (role === 'assistant') {
      assistantTexts.push(...textsOf(content))
      const called = blocksOf(content).filter((block) => block.type === 'tool_use')
      for (const use of called) uses.set(String(use.id), { name: String(use.name), input: use.input })
      if (called.length > 0) step += 1
    } else if (role === 'user') {
      // The API joins adjacent messages, so the results of an interrupted turn and the next question share a message.
      for (const block of blocksOf(content)) {
        if (block.type === 'tool_result') results.push(toolResult(block, uses))
        const said = block.type === 'text' ? spoken(String(block.text)) : ''
        if (said === '') continue
        userTexts.push(said)
        resultsBefore = results.length
        step = 0
      }
    } else systemTexts.push(...textsOf(content))
  }
  return {
    userTexts,
    lastUserText: userTexts.at(-1) ?? '',
    earlierUserTexts: userTexts.slice(0, -1),
    assistantTexts,
    toolResults: results.slice(resultsBefore),
    allToolResults: results,
    step,
    toolNames: (body.tools ?? []).map((tool) => tool.name),
    systemText: systemTexts.join('\n\n'),
  }
}

/** Drops Claude Code's reminders, except the notification of a background task, since that begins a turn. */
function spoken(text: string): string {
  const reminder = /<system-reminder>([\s\S]*?)<\/system-reminder>/g
  return text.replace(reminder, (_, inner: string) => notification.exec(inner)?.[0] ?? '').trim()
}

const notification = /<task-notification>[\s\S]*<\/task-notification>/

type Block = Exclude<Content, string>[number]

function blocksOf(content: Content): Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function toolResult(block: Block, uses: Map<string, { name: string; input: unknown }>): ToolResult {
  const toolUseId = String(block.tool_use_id)
  const use = uses.get(toolUseId)
  return {
    toolUseId,
    name: use?.name ?? '',
    input: use?.input,
    text: textsOf(block.content as Content | undefined).join('\n'),
    isError: block.is_error === true,
  }
}
