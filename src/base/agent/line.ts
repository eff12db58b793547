import { isRecord } from '../lib/is-record.ts'
import { isNestedDeeper } from '../lib/json-depth.ts'
import type { ContentBlock } from './content-block.ts'

/** One line that the CLI prints: a JSON object with a type. Unknown types and fields pass through unchanged. */
export interface Line {
  readonly type: string
  readonly subtype?: unknown
  readonly [field: string]: unknown
  readonly [textLength]?: number
  readonly [wholeText]?: string
}

const textLength = Symbol('length of the text a line was parsed from')
const wholeText = Symbol('that text itself, of a long line')

/**
 * In characters. The text of a longer line is kept, because serializing the value again takes several times as long as
 * parsing.
 */
const longText = 256 * 1024

/**
 * No line of the CLI is nested deeper. JSON.stringify, which later serializes every line, fails at a few thousand
 * levels.
 */
const deepest = 500

/** Parses a line. Undefined for anything else: banners, warnings, partial lines, or JSON nested too deep. */
export function parseLine(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isRecord(value) || typeof value['type'] !== 'string') return undefined
    if (hasMoreBrackets(text, deepest) && isNestedDeeper(value, deepest)) return undefined
    Object.defineProperty(value, textLength, { value: text.length })
    if (text.length >= longText) Object.defineProperty(value, wholeText, { value: text.trim() })
    return value as unknown as Line
  } catch {
    return undefined
  }
}

/** Each level needs an opening bracket, and counting brackets costs less than walking through the value. */
function hasMoreBrackets(text: string, count: number): boolean {
  let found = 0
  for (const bracket of '{[') {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      found += 1
      if (found > count) return true
    }
  }
  return false
}

/** Approximate number of characters that the line takes in memory: twice its length if its text is kept. */
export function lengthOf(line: Line): number {
  const length = line[textLength] ?? JSON.stringify(line).length
  return line[wholeText] === undefined ? length : 2 * length
}

/** The line as JSON, without line feeds. */
export function jsonOf(line: Line): string {
  return line[wholeText] ?? JSON.stringify(line)
}

export function isSystem(line: Line, subtype: string): boolean {
  return line.type === 'system' && line.subtype === subtype
}

/**
 * Whether this line shows progress. These do not: an answer to a request from Iris, a tool that the CLI is still
 * waiting for, and the handshake with an MCP server. The handshake continues after the process is ready and may arrive
 * after a message was written.
 */
export function isSign(line: Line): boolean {
  return line.type !== 'control_response' && line['heartbeat'] !== true && !isHandshake(line)
}

function isHandshake({ type, request }: Line): boolean {
  if (type !== 'control_request' || !isRecord(request) || request['subtype'] !== 'mcp_message') return false
  return isRecord(request['message']) && request['message']['method'] !== 'tools/call'
}

/** The CLI has changed the model. */
interface Fallback {
  readonly from: string
  readonly to: string
  /** The reason, in the CLI's words. */
  readonly why: string | undefined
}

const fallbacks = ['model_refusal_fallback', 'model_fallback', 'model_consent_fallback']

/** The change of the conversation's model that a line announces; undefined for the model of a subagent. */
export function fallbackIn(line: Line): Fallback | undefined {
  const { original_model: from, fallback_model: to, content } = line
  if (line.type !== 'system' || !fallbacks.includes(String(line.subtype)) || line['scope'] === 'local') return undefined
  if (typeof from !== 'string' || typeof to !== 'string') return undefined
  return { from, to, why: typeof content === 'string' && content !== '' ? content : undefined }
}

/** The uuid of the user message that this line echoes, if it is an echo. */
export function echoedUuid(line: Line): string | undefined {
  return line.type === 'user' && line['isReplay'] === true && typeof line['uuid'] === 'string'
    ? line['uuid']
    : undefined
}

/** The line without the images and documents of the message it echoes; the ledger has them already. */
export function withoutFiles(line: Line): Line {
  if (line['isReplay'] !== true) return line
  const content = blocks(line).filter(({ source }) => !isRecord(source))
  if (content.length === blocks(line).length) return line
  return { ...line, message: { ...(line['message'] as object), content } }
}

/** Whether a result ends a turn that the CLI began on its own. Results of messages have no origin. */
export function isUnsolicited(result: Line): boolean {
  return result['origin'] !== undefined && result['origin'] !== null
}

/** Content blocks of an assistant or user line; a plain string counts as one text block. */
export function blocks(line: Line): readonly Record<string, unknown>[] {
  const message = line['message']
  const content = isRecord(message) ? message['content'] : undefined
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isRecord) : []
}

export function textOf(line: Line): string {
  const texts = blocks(line).filter((block) => block['type'] === 'text' && typeof block['text'] === 'string')
  return texts.map((block) => block['text']).join('')
}

/**
 * Whether the model wrote the line. The CLI's own texts, for example about an API error, have the model name
 * `<synthetic>`.
 */
export function isOfModel({ message }: Line): boolean {
  return isRecord(message) && message['model'] !== '<synthetic>'
}

/** Ids of the tool uses that an assistant line starts. */
export function toolUseIds(line: Line): readonly string[] {
  if (line.type !== 'assistant') return []
  return blocks(line).flatMap(({ type, id }) => (type === 'tool_use' && typeof id === 'string' ? [id] : []))
}

/** The tool results in a user line. */
export function toolResults(line: Line): readonly { readonly toolUseId: string; readonly isError: boolean }[] {
  if (line.type !== 'user') return []
  return blocks(line).flatMap(({ type, tool_use_id: toolUseId, is_error: isError }) =>
    type === 'tool_result' && typeof toolUseId === 'string' ? [{ toolUseId, isError: isError === true }] : [],
  )
}

/** Whether the model begins to write a message. If the stream breaks, the CLI prints this line again. */
export function beginsMessage(line: Line): boolean {
  const { event, parent_tool_use_id: subagent } = line
  return (
    line.type === 'stream_event' && typeof subagent !== 'string' && isRecord(event) && event['type'] === 'message_start'
  )
}

/** The text that a partial line adds to the message being written; empty for a subagent's lines. */
export function textDelta(line: Line): string {
  return addedBy(line, 'text')
}

/** The same for the model's thinking. */
export function thinkingDelta(line: Line): string {
  return addedBy(line, 'thinking')
}

function addedBy(line: Line, what: 'text' | 'thinking'): string {
  if (line.type !== 'stream_event' || typeof line['parent_tool_use_id'] === 'string') return ''
  const event = line['event']
  const delta = isRecord(event) ? event['delta'] : undefined
  return isRecord(delta) && delta['type'] === `${what}_delta` && typeof delta[what] === 'string' ? delta[what] : ''
}

/** The line that gives the CLI a message from its user. */
export function userLine(uuid: string, text: string, sessionId: string, files: readonly ContentBlock[] = []): Line {
  // The CLI treats the last block as the text that its user typed.
  const message = { role: 'user', content: [...files, { type: 'text', text }] }
  return { type: 'user', uuid, message, session_id: sessionId, parent_tool_use_id: null }
}
