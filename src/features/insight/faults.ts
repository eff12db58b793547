import type { PublishedEvent } from '../../base/protocol/event.ts'
import { pairText } from '../../base/protocol/pair.ts'

/** The faults that Iris heals automatically. */
export const faultNames = [
  'crash_loop',
  'process_died',
  'stuck_queue',
  'full_context',
  'missing_transcript',
  'lost_link',
  'account_limit',
  'login',
  'damaged_store',
  'rejected_config',
] as const
export type FaultName = (typeof faultNames)[number]

/** The reasons with which turns end that got no further. */
const stuckReasons: ReadonlySet<string> = new Set([
  'hung',
  'no_progress',
  'no_tool_ran',
  'sent_on_by_hook',
  'tool_unanswered',
])

/** A fault that was found, and what Iris does about it. */
export interface Finding {
  readonly fault: FaultName
  /** What is broken: a conversation, a team or a file. */
  readonly subject: string
  /** A description of the fault. */
  readonly found: string
  /** What the responsible part of Iris does about the fault. It never deletes anything. */
  readonly action: string
  /** What Iris undoes once the fault is healed; absent if there is nothing to undo. */
  readonly undo?: string
  /** Before this time, a finished message proves nothing, because it may have begun before the fault. */
  readonly notBefore?: number
  /** When the fault was found; absent if it was found at the event's time. */
  readonly foundAt?: number
}

/** A fault that is healed now. Without `fault`: every fault of this subject whose healing an answer confirms. */
export interface Verified {
  readonly fault: FaultName | undefined
  readonly subject: string
  /** Whether this proves healing only after the fault's `notBefore`. */
  readonly isLate?: boolean
}

type Event<Type extends PublishedEvent['type']> = Extract<PublishedEvent, { type: Type }>

const found: { readonly [Type in PublishedEvent['type']]?: (event: Event<Type>) => Finding | undefined } = {
  'breaker-opened': (event) => ({
    fault: 'crash_loop',
    subject: pairText(event),
    found: `its process keeps failing: ${event.cause}`,
    action: 'no process is started until the wait is over, then one is tried',
    undo: 'the wait is lifted',
  }),
  'process-terminated': (event) =>
    event.died
      ? {
          fault: 'process_died',
          subject: pairText(event),
          found: `its process ended by itself: ${event.why}`,
          action: 'what it left running is ended; the next message resumes the conversation',
        }
      : undefined,
  'turn-settled': (event) =>
    event.reason !== null && stuckReasons.has(event.reason)
      ? {
          fault: 'stuck_queue',
          subject: pairText(event),
          found: `a message got no further: ${event.reason}`,
          action: 'its process is ended and the message fails; the queue continues with the next one',
        }
      : undefined,
  'session-context': (event) =>
    event.isFull
      ? {
          fault: 'full_context',
          subject: pairText(event),
          found: 'its context is full',
          action: 'the conversation is compacted, or continues in a new one with a summary',
        }
      : undefined,
  'session-archived': (event) =>
    event.planned || event.neverBegan
      ? undefined
      : {
          fault: 'missing_transcript',
          subject: pairText(event),
          found: event.why,
          action: 'the conversation starts over, and its next answer says so; the old one is archived',
        },
  'link-lost': (event) => ({
    fault: 'lost_link',
    subject: pairText(event),
    found: `${event.host}: ${event.why}`,
    action: 'the process continues there; Iris reconnects',
  }),
  'account-limited': (event) => ({
    fault: event.window === 'login' ? 'login' : 'account_limit',
    subject: event.team,
    found: event.window,
    action: 'messages wait in their queues',
    undo: 'the messages continue by themselves',
    notBefore: event.until,
  }),
  'config-rejected': () => ({
    fault: 'rejected_config',
    subject: 'config.yaml',
    found: 'it has a mistake',
    action: 'the configuration in force stays',
  }),
}

/** Faults that were healed at once: one event reports both the fault and its healing. */
const foundAndHealed: { readonly [Type in PublishedEvent['type']]?: (event: Event<Type>) => Finding | undefined } = {
  'sessions-discovered': ({ restored }) =>
    restored === 0
      ? undefined
      : {
          fault: 'missing_transcript',
          subject: 'transcripts',
          found: `${restored} were deleted by Claude Code`,
          action: 'they are restored from the links that Iris keeps',
        },
  'store-rebuilt': ({ rebuilt }) => ({
    fault: 'damaged_store',
    subject: 'the store',
    found: 'it was damaged',
    action: 'it is rebuilt from its rows and from the conversations; the damaged file is set aside',
    foundAt: rebuilt.foundAt,
  }),
}

const verified: { readonly [Type in PublishedEvent['type']]?: (event: Event<Type>) => readonly Verified[] } = {
  'breaker-closed': (event) => [{ fault: 'crash_loop', subject: pairText(event) }],
  'session-context': (event) => (event.isFull ? [] : [{ fault: 'full_context', subject: pairText(event) }]),
  'link-restored': (event) => [{ fault: 'lost_link', subject: pairText(event) }],
  'config-reloaded': () => [{ fault: 'rejected_config', subject: 'config.yaml' }],
  // Published when a message is delivered to Claude Code for the first time. A message that met the limit is delivered
  // again without this event.
  'turn-delivered': ({ to }) => [{ fault: 'account_limit', subject: to }],
  'turn-settled': (event) =>
    event.outcome === 'completed'
      ? [
          { fault: undefined, subject: pairText(event) },
          { fault: 'login', subject: event.to },
          { fault: 'account_limit', subject: event.to, isLate: true },
        ]
      : [],
}

/** Faults whose healing is confirmed by a completed answer. Other faults are confirmed in other ways. */
export const healedByAnAnswer: ReadonlySet<FaultName> = new Set([
  ...(['process_died', 'stuck_queue', 'missing_transcript', 'lost_link'] as const),
])

/** The faults that an event reports or confirms as healed. Pure. */
export function faultsIn(event: PublishedEvent) {
  const of = <Result>(table: object): Result | undefined =>
    (table as Record<string, ((event: PublishedEvent) => Result | undefined) | undefined>)[event.type]?.(event)
  return {
    found: of<Finding>(found),
    healed: of<Finding>(foundAndHealed),
    verified: of<readonly Verified[]>(verified) ?? [],
  }
}
