import type { Conversation } from './conversation.ts'
import type { MessagesBody } from './messages-api.ts'
import type { ModelAnswer } from './script.ts'

const compactionOpening = 'CRITICAL: Respond with TEXT ONLY'

export function asksForSummary({ lastUserText }: Conversation): boolean {
  return lastUserText.startsWith(compactionOpening)
}

/**
 * Claude Code asks the model for its own purposes too, and no script wants to hear of that: the summary of `/compact`
 * (with the whole conversation and its tools), titles, topics and quota checks (no tools). Undefined for a real turn.
 */
export function sideAnswer(body: MessagesBody, conversation: Conversation): ModelAnswer | undefined {
  // Without these tags 2.1.330 asks a second time.
  if (asksForSummary(conversation)) return { text: compactionSummary(conversation) }
  if ((body.tools ?? []).length > 0) return undefined
  const format = (body.output_config as { format?: unknown } | undefined)?.format
  return { text: format === undefined ? 'ok' : '{"title":"Scripted conversation"}' }
}

function compactionSummary({ earlierUserTexts }: Conversation): string {
  return `<analysis>Scripted.</analysis>\n<summary>Asked so far: ${earlierUserTexts.join(' | ')}</summary>`
}
