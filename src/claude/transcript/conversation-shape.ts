import type { Pair } from '../../base/protocol/pair.ts'

/** The fields of the session in `conversation.json`, before the messages. */
export interface ConversationHead extends Pair {
  /** Claude Code's id of the conversation. */
  readonly sessionId: string
  readonly agentName: string
}

/**
 * The file has seed 002's shape, as `JSON.stringify(…, null, 2)` prints it, except that each message is one line. Its
 * end has a known form, so Iris can replace the end without reading the rest.
 */
export function headText({ sessionId, agentName, from, to, thread }: ConversationHead): string {
  const fields = Object.entries({ sessionId, agentName, from, to, thread })
  return `{\n${fields.map(([name, value]) => `  "${name}": ${JSON.stringify(value)},\n`).join('')}${messagesOpen}`
}

/** Unambiguous at the start of a line, because JSON strings contain no raw line feeds. */
export const messagesOpen = '  "messages": ['

export interface ConversationTail {
  /** ISO 8601. */
  readonly createdAt: string
  readonly lastUpdated: string
}

export function tailText({ createdAt, lastUpdated }: ConversationTail): string {
  return `\n  ],\n  "createdAt": "${createdAt}",\n  "lastUpdated": "${lastUpdated}"\n}\n`
}

/** No tail is longer than this, whatever its dates. */
export const maxTailBytes = 160

const tailPattern = /[[}](\n {2}\],\n {2}"createdAt": "([^"\n]*)",\n {2}"lastUpdated": "([^"\n]*)"\n\}\n)$/

/**
 * Parses the tail at the end of `end`. `isEmpty`: there is no message before it. Undefined if there is no complete
 * tail.
 */
export function matchTail(end: Buffer): (ConversationTail & { bytes: number; isEmpty: boolean }) | undefined {
  const found = tailPattern.exec(end.toString('latin1'))
  if (found === null) return undefined
  const [whole, tail, createdAt, lastUpdated] = found as unknown as [string, string, string, string]
  return { createdAt, lastUpdated, bytes: tail.length, isEmpty: whole.startsWith('[') }
}

export function messageText(json: string): string {
  return `\n    ${json}`
}
