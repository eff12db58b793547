import { blocks, type Line } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import type { Outcome, Reason, Usage } from '../../base/protocol/turn.ts'
import { type Compacted, toCompacted } from '../driver/compaction.ts'
import { printable, printableName } from './printable.ts'

/** The end of a turn as `stream.log` records it. */
export interface TranscriptEnd {
  readonly outcome: Outcome
  readonly reason: Reason | null
  readonly detail: string | null
  readonly durationMs: number | null
  readonly usage: Usage | null
}

export interface LogSession {
  readonly sessionId: string
  readonly agentName: string
}

/** In characters. Longer texts are cut, because people read the log, and `conversation.json` has the whole texts. */
const maxLoggedCharacters = 1_000_000
const maxToolText = 50_000

/** A record of `stream.log` in seed 002's shape: a heading with the time, lines, an empty line. */
function record(at: number, heading: string, body: string): string {
  return `[${new Date(at).toISOString()}] ${heading}\n${body}\n\n`
}

export function newSessionRecord({ agentName, sessionId }: LogSession, at: number): string {
  return record(
    at,
    'SESSION NEW:',
    `Agent: ${printableName(agentName)}\nSession ID: ${sessionId}\nClaude Code Session ID: ${sessionId}`,
  )
}

export function continuedRecord({ agentName, sessionId }: LogSession, at: number): string {
  const mark = `=== Session Continued ===\nContinued at: ${new Date(at).toISOString()}\n\n`
  return mark + record(at, 'SESSION RESUMED:', `Agent: ${printableName(agentName)}\nSession ID: ${sessionId}`)
}

export function promptRecord(prompt: string, at: number): string {
  return record(at, 'USER PROMPT:', short(prompt, maxLoggedCharacters))
}

export function endRecord({ outcome, reason, detail, durationMs, usage }: TranscriptEnd, at: number): string {
  const facts = [
    `Status: ${outcome === 'completed' ? 'success' : outcome}`,
    reason !== null && `Reason: ${reason}`,
    detail !== null && `Detail: ${printable(detail)}`,
    durationMs !== null && `Duration: ${Math.round(durationMs)} ms`,
    usage !== null && `Tokens: ${tokens(usage)}`,
  ]
  const heading = outcome === 'completed' ? 'SESSION COMPLETED:' : 'SESSION FAILED:'
  return record(at, heading, facts.filter((fact) => fact !== false).join('\n'))
}

function tokens(usage: Usage): string {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage
  return `${inputTokens} in, ${outputTokens} out, ${cacheReadTokens} cache read, ${cacheWriteTokens} cache write`
}

export function archivedRecord(why: string, at: number): string {
  return record(at, 'SESSION ARCHIVED:', printable(why))
}

export function lostRecord(count: number, at: number): string {
  return record(at, 'LOST:', `${count} entries; they could not be written to disk.`)
}

/** Whether this line goes to `stream.log`. The echo of a message does not: the log already has it as the prompt. */
export function isReadable(line: Line): boolean {
  if (line.type === 'user') return line['isReplay'] !== true
  return line.type === 'assistant' || toCompacted(line) !== undefined
}

/**
 * The records for the texts and tools of a line. `tools` maps tool use ids to names; tool uses of this line are added.
 */
export function lineRecords(line: Line, at: number, tools: Map<string, string>): string {
  const compacted = toCompacted(line)
  if (compacted !== undefined) return compactedRecord(compacted, at)
  const speaker = `${line.type.toUpperCase()}${typeof line['parent_tool_use_id'] === 'string' ? ' (SUBAGENT)' : ''}:`
  return blocks(line)
    .map((block) => {
      const { type, text } = block
      if (type === 'text')
        return typeof text === 'string' && text !== '' ? record(at, speaker, short(text, maxLoggedCharacters)) : ''
      if (type === 'tool_use') return toolUseRecord(block, at, tools)
      return type === 'tool_result' ? toolResultRecord(block, at, tools) : ''
    })
    .join('')
}

/** From here on, Claude Code has only a summary of the conversation above. */
function compactedRecord({ beforeTokens, afterTokens }: Compacted, at: number): string {
  return record(at, 'CONVERSATION COMPACTED:', `Tokens: ${beforeTokens ?? 'unknown'} → ${afterTokens ?? 'unknown'}`)
}

function toolUseRecord(block: Record<string, unknown>, at: number, tools: Map<string, string>): string {
  const name = String(block['name'])
  tools.set(String(block['id']), name)
  return record(
    at,
    `TOOL_USE: ${printableName(name)}`,
    short(JSON.stringify(block['input'] ?? {}, null, 2), maxToolText),
  )
}

function toolResultRecord(block: Record<string, unknown>, at: number, tools: ReadonlyMap<string, string>): string {
  const name = tools.get(String(block['tool_use_id'])) ?? 'unknown'
  const verdict = block['is_error'] === true ? 'ERROR' : 'SUCCESS'
  return record(
    at,
    `TOOL_RESULT: ${printableName(name)} (${verdict})`,
    short(resultText(block['content']), maxToolText),
  )
}

function resultText(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : ''
  return content
    .filter(isRecord)
    .map((block) => (typeof block['text'] === 'string' ? block['text'] : `(${String(block['type'])})`))
    .join('\n')
}

function short(text: string, longest: number): string {
  if (text.length <= longest) return printable(text)
  const more = text.length - longest
  return `${printable(text.slice(0, longest))}\n… ${more} more characters are in conversation.json`
}
