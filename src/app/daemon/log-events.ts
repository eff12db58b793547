import type { Observable } from 'rxjs'
import type { Log, LogLevel } from '../../base/lib/log.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import { type Pair, pairText } from '../../base/protocol/pair.ts'
import type { PermissionView } from '../../base/protocol/permission-view.ts'
import type { Outcome, Reason, Usage } from '../../base/protocol/turn.ts'
import { waitsForText } from '../../base/protocol/waits-for-text.ts'

type Event<Type extends PublishedEvent['type']> = Extract<PublishedEvent, { type: Type }>

/** A line of the log: context, level and message; ids and figures are fields. */
interface Told {
  readonly context: string
  readonly level: LogLevel
  readonly message: string
  readonly ids: Readonly<Record<string, unknown>>
}

/** Logs events, one line each. Texts of messages and answers, and the input and output of tools, are never logged. */
export function logEvents(events: Observable<PublishedEvent>, log: Log): void {
  const speakers = new Map<string, Log>()
  const speaker = (context: string): Log => {
    const known = speakers.get(context) ?? log.for(context)
    speakers.set(context, known)
    return known
  }
  events.subscribe((event) => {
    const said = lines[event.type]?.(event as never)
    if (said) speaker(said.context)[said.level](said.message, said.ids)
  })
}

/** Every event says here how it is logged, or that it is not. */
const lines: { readonly [Type in PublishedEvent['type']]: ((event: Event<Type>) => Told) | undefined } = {
  'turn-accepted': (event) =>
    ofTurn(event, 'info', 'Message accepted', {
      ...(event.parentTurnId !== null && { parentTurnId: event.parentTurnId }),
      ...(event.ahead > 0 && { ahead: event.ahead }),
    }),
  'turn-reported': (event) => ofTurn(event, 'info', reported[event.kind], {}),
  'turn-steered': (event) => ofTurn(event, 'info', 'Message joined the running one', {}),
  'turn-delivered': (event) => ofTurn(event, 'info', 'Message delivered', { queuedMs: event.queuedMs }),
  'turn-settled': (event) => {
    const { outcome, reason, detail, durationMs, messageCount, usage } = event
    const [usual, message] = ends[outcome]
    const level = reason !== null && faults.has(reason) ? 'error' : usual
    const why = reason === null || outcome === 'cancelled' ? '' : `: ${reason}`
    const figures = { durationMs, messageCount, ...(usage && tokens(usage)) }
    return ofTurn(event, level, message + why, { ...figures, ...(detail !== null && { detail: cut(detail) }) })
  },
  'conversation-moved': ({ kind, formerHost, host, ...event }) =>
    ofSession(event, 'warn', moves[kind], { formerHost, host }),
  'log-records-lost': ({ was, is, ...event }) =>
    ofSession(event, 'warn', 'The servers between hosts have lost records of this conversation', { was, is }),
  'servers-lost': ({ what }) => ({
    context: 'cluster',
    level: 'warn',
    ids: {},
    message: `The servers between hosts had lost ${what}, which was made again`,
  }),
  'host-joined-team': ({ team, host }) => ({
    context: 'cluster',
    level: 'warn',
    ids: { team, host },
    message: 'A new host has a team together with others, and may get its messages',
  }),
  'turn-asks-elsewhere': ({ what, ...event }) =>
    ofTurn(event, 'info', what === null ? 'No person is asked any more' : `A person is asked about ${cut(what)}`),
  'files-collided': (event) =>
    ofTurn(event, 'warn', 'Another message changes the same file', { path: event.path, other: event.otherTurnId }),
  'answers-drifted': ({ team, turns }) => ({
    context: 'insight',
    level: 'info',
    ids: { team },
    message: `Files changed that ${turns} earlier ${turns === 1 ? 'answer' : 'answers'} relied on`,
  }),
  'answer-outdated': (event) => ofTurn(event, 'info', 'Asker told that a file has changed', { path: event.path }),
  'answer-kept': (event) => ofTurn(event, 'info', 'Answer given again', {}),
  // What found the fault is logged by its own event.
  'account-limited': undefined,
  'warmed-ahead': ({ from, to, asker }) => ({
    context: 'insight',
    level: 'info',
    ids: { from, to, asker },
    message: 'Process started ahead of an ask',
  }),
  'process-kept': ({ from, to, sessionId, instead }) => ({
    context: 'insight',
    level: 'info',
    ids: { from, to, sessionId, ended: `${instead.from}→${instead.to}` },
    message: 'Process kept, because another is expected later',
  }),
  'turn-waits': (event) => ofTurn(event, 'info', `Message waits. ${waitsForText(event)}`, {}),
  'turn-overtook': (event) =>
    ofTurn(event, 'info', 'Turn went first, for a short answer', { overtaken: event.overtaken }),
  'fault-found': undefined,
  'fault-healed': ({ fault, subject, tookMs }) => ({
    context: 'healing',
    level: 'info',
    ids: { subject, tookMs },
    message: `Healed: ${fault}`,
  }),
  reflected: ({ asks, suggestions }) => ({
    context: 'insight',
    level: 'info',
    ids: { asks, suggestions },
    message: 'Weekly reflection done; iris insight reflect shows it',
  }),
  'suggestion-decided': ({ team, kind, decision, suggestionId }) => ({
    context: 'insight',
    level: 'info',
    ids: { team, kind, suggestionId },
    message: `Suggestion ${decision}`,
  }),
  'schedules-changed': undefined,
  'failure-dismissed': (event) => ofTurn(event, 'info', 'Failure put aside', {}),
  'inbox-changed': undefined,
  // Published for every line of the CLI, so too many.
  'turn-message': undefined,

  'process-spawned': (event) =>
    ofProcess(event, 'info', event.resumed ? 'Process started, conversation resumed' : 'Process started', {
      pid: event.pid,
      readyMs: event.readyMs,
    }),
  // The process's start and end are logged.
  'process-state': undefined,
  'process-exited': ({ code, signal, ...event }) =>
    ofProcess(event, 'debug', `Process exited ${signal === null ? `with code ${code}` : `by ${signal}`}`, {
      pid: event.pid,
    }),
  'process-error': (event) => ofProcess(event, 'warn', `Process failed: ${cut(event.error)}`),
  'process-terminated': (event) =>
    ofProcess(event, event.died ? 'debug' : 'info', `Process ended: ${event.why}`, { pid: event.pid }),
  'link-lost': (event) =>
    ofProcess(event, 'warn', `The machine cannot be reached, the process goes on there: ${cut(event.why)}`, {
      host: event.host,
    }),
  'link-restored': (event) =>
    ofProcess(event, 'info', 'The machine is reached again', { host: event.host, lostMs: event.lostMs }),
  'breaker-opened': (event) =>
    ofProcess(event, 'warn', `Process fails again and again, the next start waits: ${cut(event.cause)}`, {
      retryAt: new Date(event.retryAt).toISOString(),
    }),
  'breaker-closed': (event) => ofProcess(event, 'info', 'Process works again'),
  'health-check': ({ status }) => ({
    context: 'pool',
    level: 'debug',
    message: 'Idle processes were asked whether they live',
    ids: { ...status },
  }),

  'session-created': (event) => ofSession(event, 'info', `Session created${origins[event.origin] ?? ''}`),
  'session-archived': (event) =>
    ofSession(event, event.planned ? 'info' : 'warn', `Session archived: ${cut(event.why)}`),
  'session-restored': (event) => ofSession(event, 'info', 'Session restored'),
  'session-compacted': ({ beforeTokens, afterTokens, ...event }) =>
    ofSession(event, 'info', 'Conversation compacted', { beforeTokens, afterTokens }),
  'session-compaction-failed': (event) => ofSession(event, 'warn', `Compaction failed: ${cut(event.error)}`),
  'session-context': ({ isFull, contextTokens, contextWindow, ...event }) =>
    ofSession(event, 'info', isFull ? 'Conversation is full' : 'Conversation has room again', {
      contextTokens,
      contextWindow,
    }),
  // Follows other events, which are logged.
  'session-changed': undefined,
  'session-held': ({ pid, as, ...event }) =>
    ofSession(event, 'info', 'A person has opened the conversation; messages wait', { pid, as }),
  'session-released': ({ pid, ...event }) => ofSession(event, 'info', 'The person has left the conversation', { pid }),

  'permission:request': ({ permission }) => ofQuestion(permission, 'info', 'Permission asked'),
  'permission:resolved': ({ permission }) => ofQuestion(permission, 'info', answers[permission.state]),
  'permission:timeout': ({ permission }) => ofQuestion(permission, 'warn', answers.timed_out),

  'config-reloaded': ({ teamsAdded, teamsRemoved, keys, needsRestart }) => ({
    context: 'config',
    level: needsRestart.length > 0 ? 'warn' : 'info',
    message:
      needsRestart.length > 0
        ? `config.yaml reloaded; restart Iris (iris restart) for ${needsRestart.join(', ')}`
        : 'config.yaml reloaded',
    ids: { teamsAdded, teamsRemoved, keys },
  }),
  'config-rejected': ({ text }) => ({
    context: 'config',
    level: 'error',
    message: `config.yaml rejected, the previous one stays in use. ${text}`,
    ids: {},
  }),
  'sessions-discovered': ({ missingIds, type: _type, sequence: _sequence, at: _at, ...counts }) => ({
    context: 'discovery',
    level: counts.missing > 0 ? 'warn' : 'info',
    message:
      counts.missing > 0
        ? `${counts.missing === 1 ? '1 conversation is' : `${counts.missing} conversations are`} missing on disk; the next message begins a new one`
        : 'Conversations on disk compared with the store',
    ids: { ...counts, ...(counts.missing > 0 && { missingIds }) },
  }),
  'turns-pruned': ({ turns }) => ({
    context: 'store',
    level: 'info',
    message: `${turns} messages older than settings.keepTurns were deleted`,
    ids: {},
  }),
  'store-rebuilt': ({ rebuilt }) => ({
    context: 'store',
    level: 'error',
    message: 'The store was damaged or lost and has been rebuilt',
    ids: { ...rebuilt },
  }),
  'claude-changed': ({ problem }) => ({
    context: 'claude',
    level: problem === undefined ? 'info' : 'warn',
    message: problem ?? 'Claude Code is the one that was probed',
    ids: {},
  }),
}

const reported = { said: 'Its agent reported from the background', ended: 'A command in its background was ended' }

const ends: Readonly<Record<Outcome, readonly [LogLevel, string]>> = {
  completed: ['info', 'Message answered'],
  failed: ['warn', 'Message failed'],
  cancelled: ['info', 'Message cancelled'],
  timed_out: ['warn', 'Message timed out'],
  in_doubt: ['warn', 'Message in doubt'],
}

/** Reasons that mean that Iris could not do its part. */
const faults = new Set<Reason>([
  ...(['internal', 'session_creation_failed', 'session_mismatch', 'spawn_failed'] as const),
])

/** How a conversation began, where it did not begin empty. */
const origins: Readonly<Record<string, string>> = {
  fork: ' as a fork',
  reset: ', starting over',
  rotation: ' with a summary of the former one',
  taken_over: ' as a person left it',
}

const answers: Readonly<Record<PermissionView['state'], string>> = {
  pending: 'Permission asked',
  allowed: 'Permission given',
  denied: 'Permission refused',
  timed_out: 'Permission refused, nobody answered in time',
  ended: 'Permission no longer needed',
}

type OfSession = Pair & { readonly sessionId: string }

const moves = {
  taken: 'The conversation was taken over from another host',
  lost: 'Another host has taken the conversation over: it ends here',
  sent: 'The host is away or has passed the conversation on: the message goes to another one',
} as const

function ofSession(event: OfSession, level: LogLevel, message: string, figures = {}): Told {
  return { context: 'session', level, message, ids: { ...about(event), ...figures } }
}

function ofTurn(event: OfSession & { readonly turnId: string }, level: LogLevel, message: string, figures = {}): Told {
  return { context: 'orchestrator', level, message, ids: { ...about(event), turnId: event.turnId, ...figures } }
}

function ofProcess(event: OfSession & { teamName: string }, level: LogLevel, message: string, figures = {}): Told {
  return { context: `process:${event.teamName}`, level, message, ids: { ...about(event), ...figures } }
}

function about(event: OfSession) {
  return { pair: pairText(event), sessionId: event.sessionId }
}

/** The tool and who decided. Its input is only in the audit and in the question. */
function ofQuestion(permission: PermissionView, level: LogLevel, message: string): Told {
  const { permissionId, from, team, sessionId, turnId, toolName, decidedBy, decidedAt, askedAt, scope } = permission
  const decided = decidedAt !== null && { decidedBy, ...(scope && { scope }), waitedMs: decidedAt - askedAt }
  const ids = { pair: `${from}→${team}`, sessionId, ...(turnId !== null && { turnId }), permissionId, ...decided }
  return { context: 'permission', level, message: `${message}: ${toolName}`, ids }
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

/** To a millionth of a dollar: a difference of two sums has rounding errors. */
function rounded(usd: number): number {
  return Math.round(usd * 1e6) / 1e6
}

const maxCause = 500

/** The error text of another program may be long. */
function cut(text: string): string {
  return text.length > maxCause ? `${text.slice(0, maxCause)}…` : text
}
