import type { LogLevel } from '../../base/lib/log.ts'
import type { EventTypes, PublishedOf } from '../../base/protocol/event.ts'
import { type Pair, pairText } from '../../base/protocol/pair.ts'
import type { AuditEntry } from '../session/audit-entry.ts'

/** A line of the log. Ids and figures are fields, not part of the message. */
export interface LogLine {
  readonly context: string
  readonly level: LogLevel
  readonly message: string
  readonly ids: Readonly<Record<string, unknown>>
}

/**
 * The log and audit entries for an event; either can be absent. For an event that no call of an operation caused, this
 * is the only audit entry. Texts of messages and answers, and the input and output of tools, are never logged.
 */
export interface EventText<Event> {
  readonly log?: (event: Event) => LogLine | undefined
  readonly audit?: (event: Event) => Audited | undefined
}

/** The actor is Iris unless `actor` is set. */
type Audited = Omit<AuditEntry, 'at' | 'actor'> & Partial<Pick<AuditEntry, 'actor'>>

/** For each event of these types: how it is logged and audited, if at all. */
export type EventTexts<Type extends keyof EventTypes> = { readonly [T in Type]: EventText<PublishedOf<T>> }

/** The texts of the kernel and of the composed features, by the type of the event. */
export type AllEventTexts = Map<string, EventText<never>>

type OfSession = Pair & { readonly sessionId: string }

/** A line about a conversation. */
export function sessionLine(event: OfSession, level: LogLevel, message: string, figures = {}): LogLine {
  return { context: 'session', level, message, ids: { ...about(event), ...figures } }
}

/** A line about a message. */
export function turnLine(
  event: OfSession & { readonly turnId: string },
  level: LogLevel,
  message: string,
  figures = {},
): LogLine {
  return { context: 'orchestrator', level, message, ids: { ...about(event), turnId: event.turnId, ...figures } }
}

/** A line about a process of a team. */
export function processLine(
  event: OfSession & { readonly teamName: string },
  level: LogLevel,
  message: string,
  figures = {},
): LogLine {
  return { context: `process:${event.teamName}`, level, message, ids: { ...about(event), ...figures } }
}

function about(event: OfSession) {
  return { pair: pairText(event), sessionId: event.sessionId }
}

const maxCause = 500

/** Shortens a text from another program, because such a text may be long. */
export function cutCause(text: string): string {
  return text.length > maxCause ? `${text.slice(0, maxCause)}…` : text
}
