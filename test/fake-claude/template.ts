import type { RememberedTurn } from './recall.ts'

interface TemplateSource {
  readonly message: { readonly text: string }
  readonly turns: readonly RememberedTurn[]
  readonly lastToolResult: string
  readonly sessionId: string
}

/**
 * Fills a script's text: `{{message}}`, `{{lastLine}}` of the message, `{{history}}` (earlier messages and their answers),
 * `{{turnNumber}}` (from 1, over all processes since the last compaction), `{{lastToolResult}}`, `{{sessionId}}`.
 */
export function fillTemplate(text: string, source: TemplateSource): string {
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name]?.(source) ?? whole)
}

const values: Readonly<Record<string, (source: TemplateSource) => string>> = {
  message: ({ message }) => message.text,
  lastLine: ({ message }) => message.text.trimEnd().split('\n').at(-1) ?? '',
  history: ({ turns }) => turns.map(({ text, answer }) => `${text} => ${answer}`).join('\n'),
  turnNumber: ({ turns }) => String(turns.length + 1),
  lastToolResult: ({ lastToolResult }) => lastToolResult,
  sessionId: ({ sessionId }) => sessionId,
}
