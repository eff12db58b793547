import type { LogLevel } from '../../base/lib/log.ts'
import type { KernelEvents } from '../../base/protocol/event.ts'
import type { Outcome, Reason, Usage } from '../../base/protocol/turn.ts'
import { waitsForText } from '../../base/protocol/waits-for-text.ts'
import { cutCause, type EventTexts, processLine, sessionLine, turnLine } from './event-texts.ts'

/** The log entries for the kernel's own events. */
export const kernelEvents: EventTexts<keyof KernelEvents> = {
  'turn-accepted': {
    log: (event) =>
      turnLine(event, 'info', 'Message accepted', {
        ...(event.parentTurnId !== null && { parentTurnId: event.parentTurnId }),
        ...(event.ahead > 0 && { ahead: event.ahead }),
      }),
  },
  'turn-reported': {
    log: (event) => turnLine(event, 'info', reported[event.kind], {}),
  },
  'turn-steered': {
    log: (event) => turnLine(event, 'info', 'Message joined the running one', {}),
  },
  'turn-delivered': {
    log: (event) => turnLine(event, 'info', 'Message delivered', { queuedMs: event.queuedMs }),
  },
  'turn-settled': {
    log: (event) => {
      const { outcome, reason, detail, durationMs, messageCount, usage } = event
      const [usual, message] = ends[outcome]
      const level = reason !== null && faults.has(reason) ? 'error' : usual
      const why = reason === null || outcome === 'cancelled' ? '' : `: ${reason}`
      const figures = { durationMs, messageCount, ...(usage && tokens(usage)) }
      return turnLine(event, level, message + why, { ...figures, ...(detail !== null && { detail: cutCause(detail) }) })
    },
  },
  'turn-waits': {
    log: (event) => turnLine(event, 'info', `Message waits. ${waitsForText(event)}`, {}),
  },
  // Published for every line of the CLI, so too frequent to log.
  'turn-message': {},
  'process-spawned': {
    log: (event) =>
      processLine(event, 'info', event.resumed ? 'Process started, conversation resumed' : 'Process started', {
        pid: event.pid,
        readyMs: event.readyMs,
      }),
  },
  // The process's start and end are logged.
  'process-state': {},
  'process-exited': {
    log: ({ code, signal, ...event }) =>
      processLine(event, 'debug', `Process exited ${signal === null ? `with code ${code}` : `by ${signal}`}`, {
        pid: event.pid,
      }),
  },
  'process-error': {
    log: (event) => processLine(event, 'warn', `Process failed: ${cutCause(event.error)}`),
  },
  'process-terminated': {
    log: (event) =>
      processLine(event, event.died ? 'debug' : 'info', `Process ended: ${event.why}`, { pid: event.pid }),
  },
  'link-lost': {
    log: (event) =>
      processLine(event, 'warn', `The machine can't be reached; the process continues there: ${cutCause(event.why)}`, {
        host: event.host,
      }),
  },
  'link-restored': {
    log: (event) =>
      processLine(event, 'info', 'The machine can be reached again', { host: event.host, lostMs: event.lostMs }),
  },
  'breaker-opened': {
    log: (event) =>
      processLine(event, 'warn', `Process fails again and again, the next start waits: ${cutCause(event.cause)}`, {
        retryAt: new Date(event.retryAt).toISOString(),
      }),
  },
  'breaker-closed': {
    log: (event) => processLine(event, 'info', 'Process works again'),
  },
  'health-check': {
    log: ({ status }) => ({
      context: 'pool',
      level: 'debug',
      message: 'Idle processes were asked whether they are alive',
      ids: { ...status },
    }),
  },
  'session-created': {
    log: (event) => sessionLine(event, 'info', `Session created${origins[event.origin] ?? ''}`),
  },
  'session-archived': {
    log: (event) => sessionLine(event, event.planned ? 'info' : 'warn', `Session archived: ${cutCause(event.why)}`),
  },
  'session-restored': {
    log: (event) => sessionLine(event, 'info', 'Session restored'),
  },
  'session-compacted': {
    log: ({ beforeTokens, afterTokens, ...event }) =>
      sessionLine(event, 'info', 'Conversation compacted', { beforeTokens, afterTokens }),
  },
  'session-compaction-failed': {
    log: (event) => sessionLine(event, 'warn', `Compaction failed: ${cutCause(event.error)}`),
  },
  'session-context': {
    log: ({ isFull, contextTokens, contextWindow, ...event }) =>
      sessionLine(event, 'info', isFull ? 'Conversation is full' : 'Conversation has room again', {
        contextTokens,
        contextWindow,
      }),
  },
  'sessions-discovered': {
    log: ({ missingIds, type: _type, sequence: _sequence, at: _at, ...counts }) => ({
      context: 'discovery',
      level: counts.missing > 0 ? 'warn' : 'info',
      message:
        counts.missing > 0
          ? `${counts.missing === 1 ? '1 conversation is' : `${counts.missing} conversations are`} missing on disk; the next message begins a new one`
          : 'Conversations on disk compared with the store',
      ids: { ...counts, ...(counts.missing > 0 && { missingIds }) },
    }),
  },
  'turns-pruned': {
    log: ({ turns }) => ({
      context: 'store',
      level: 'info',
      message: `${turns} messages older than settings.keepTurns were deleted`,
      ids: {},
    }),
  },
  'store-rebuilt': {
    log: ({ rebuilt }) => ({
      context: 'store',
      level: 'error',
      message: 'The store was damaged or lost and has been rebuilt',
      ids: { ...rebuilt },
    }),
  },
}

const reported = { said: 'Its agent reported from the background', ended: 'A command in its background was ended' }

const ends: Readonly<Record<Outcome, readonly [LogLevel, string]>> = {
  completed: ['info', 'Message answered'],
  failed: ['warn', 'Message failed'],
  cancelled: ['info', 'Message cancelled'],
  timed_out: ['warn', 'Message timed out'],
  in_doubt: ['warn', 'Message in doubt'],
}

/** Reasons that mean a failure of Iris itself. */
const faults = new Set<Reason>([
  ...(['internal', 'session_creation_failed', 'session_mismatch', 'spawn_failed'] as const),
])

/** How a conversation began, for conversations that did not begin empty. */
const origins: Readonly<Record<string, string>> = {
  fork: ' as a fork',
  reset: ', starting over',
  rotation: ' with a summary of the previous one',
  taken_over: ' as a person left it',
}

function tokens({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd }: Usage) {
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    ...(costUsd !== undefined && { costUsd: rounded(costUsd) }),
  }
}

/** Rounds to a millionth of a dollar, because the difference of two sums has rounding errors. */
function rounded(usd: number): number {
  return Math.round(usd * 1e6) / 1e6
}
