import type { Pair } from '../../base/protocol/party.ts'

/** What `conversation.json` says of the session, in front of its messages. */
export interface ConversationHead extends Pair {
  /** Claude Code's id of the conversation. */
  readonly sessionId: string
  readonly agentName: string
}

/**
 * The file is seed 002's, as `JSON.stringify(…, null, 2)` would print it, except that each message is one line. Its end
 * has a known form, so that it can be replaced without reading what is before it.
 */
export function headText({ sessionId, agentName, from, to, thread }: ConversationHead): string {
  const fields = Object.entries({ sessionId, agentName, from, to, thread })
  return `{\n${fields.map(([name, value]) => `  "${name}": ${JSON.stringify(value)},\n`).join('')}${messagesOpen}`
}

/** A raw line feed cannot be part of a value: what looks so at the start of a line is so. */
export const messagesOpen = '  "messages": ['

export interface ConversationTail {
  /** ISO 8601. */
  readonly createdAt: string
  readonly lastUpdated: string
}

export function tailText({ createdAt, lastUpdated }: ConversationTail): string {
  return `\n  ],\n  "createdAt": "${createdAt}",\n  "lastUpdated": "${lastUpdated}"\n}\n`
}

/** No tail is longer, whatever its dates. */
export const longestTailBytes = 160

const tailPattern = /[[}](\n {2}\],\n {2}"createdAt": "([^"\n]*)",\n {2}"lastUpdated": "([^"\n]*)"\n\}\n)$/

/** The tail that the last bytes of a file are, and whether there is a message before it. */
export function matchTail(end: Buffer): (ConversationTail & { bytes: number; isEmpty: boolean }) | undefined {
  const found = tailPattern.exec(end.toString('latin1'))
  if (found === null) return undefined
  const [whole, tail, createdAt, lastUpdated] = found as unknown as [string, string, string, string]
  return { createdAt, lastUpdated, bytes: tail.length, isEmpty: whole.startsWith('[') }
}

export function messageText(json: string): string {
  return `\n    ${json}`
}
