import { callCommand } from './call-command.ts'
import type { CommandSpec } from './spec.ts'

/** What shows how things stand and what has happened. */
export const looking: readonly CommandSpec[] = [
  {
    name: 'status',
    group: 'Looking',
    summary: 'Show whether the daemon runs and how the teams stand',
    examples: [
      ['status', 'which teams are awake, and what they work on'],
      ['status --json', 'the same for programs; {"running":false} where none runs'],
    ],
    load: async () => (await import('../commands/status.ts')).status,
  },
  {
    name: 'monitor',
    group: 'Looking',
    summary: 'Watch processes, queues, live answers, questions and the log, and answer the questions',
    examples: [
      ['monitor', 'fills the terminal; ? shows the keys, q leaves'],
      ['monitor --json', 'each event as a line of JSON, until Ctrl-C'],
    ],
    load: async () => (await import('../commands/monitor.ts')).monitor,
  },
  callCommand({
    name: 'teams list',
    group: 'Looking',
    operation: 'list_teams',
    examples: [['teams list', 'names, directories, and what each knows about']],
    lines: async () => (await import('../commands/team-lines.ts')).teamLines,
  }),
  callCommand({
    name: 'sessions',
    group: 'Looking',
    operation: 'list_sessions',
    examples: [
      ['sessions', 'who talks with whom, the last used first'],
      ['sessions --to backend --status all', 'also those that were put away'],
    ],
    lines: async () => (await import('../commands/session-lines.ts')).sessionLines,
  }),
  callCommand({
    name: 'report',
    group: 'Looking',
    operation: 'session_report',
    places: { fromTeam: '<from>', team: '<to>' },
    without: ['toTeam'],
    examples: [['report frontend backend', 'what was asked in their conversation, and how it ended']],
    lines: async () => (await import('../commands/report-lines.ts')).reportLines,
  }),
  {
    name: 'cache inspect',
    group: 'Looking',
    summary: 'Look into a conversation: choose a turn, and see all that was said and done in it',
    operation: 'session_turns',
    places: { sessionId: '<session>' },
    examples: [['cache inspect 0b5c7d4e', 'the id, or its beginning, is shown by "iris sessions"']],
    load: async () => (await import('../commands/cache-inspect.ts')).cacheInspect,
  },
  callCommand({
    name: 'search',
    group: 'Looking',
    operation: 'search_messages',
    places: { query: '<words...>' },
    examples: [
      ['search order fields', 'in all that was ever asked and answered'],
      ['search \'"exactly this"\' --to backend', 'words in double quotes stand for exactly that'],
    ],
    lines: async () => (await import('../commands/search-lines.ts')).searchLines,
  }),
  callCommand({
    name: 'trace',
    group: 'Looking',
    operation: 'trace_turn',
    places: { turnId: '<turn>' },
    examples: [['trace 3f2a9c01', 'who asked whom because of it, and where the time went']],
    lines: async () => (await import('../commands/trace-lines.ts')).traceLines,
  }),
  callCommand({
    name: 'why',
    group: 'Looking',
    summary: 'Tell what happened to a message, step by step',
    operation: 'trace_turn',
    places: { turnId: '<turn>' },
    without: ['limit', 'cursor'],
    examples: [['why 3f2a9c01', 'what it waited for, what it did, how it ended']],
    lines: async () => (await import('../commands/trace-lines.ts')).whyLines,
  }),
  {
    name: 'logs',
    group: 'Looking',
    operation: 'get_logs',
    without: ['logs_since', 'getAllStores', 'format'],
    options: [['-f, --follow', 'Then what is logged, until Ctrl-C']],
    examples: [
      ['logs --level warn', 'what went wrong since the daemon started'],
      ['logs -f', 'as it happens'],
    ],
    load: async () => (await import('../commands/logs.ts')).logs,
  },
  callCommand({
    name: 'stats',
    group: 'Looking',
    operation: 'session_stats',
    examples: [
      ['stats', 'messages, answer times, tokens and cost of 30 days'],
      ['stats --team backend --since 7d', 'of one team, in the last week'],
    ],
    lines: async () => (await import('../commands/stats-lines.ts')).statsLines,
  }),
  callCommand({
    name: 'audit',
    group: 'Looking',
    operation: 'list_audit',
    without: ['before'],
    examples: [
      ['audit --since 1d', 'of the last day'],
      ['audit --team backend --limit 20', 'the newest 20 by or about a team'],
    ],
    lines: async () => (await import('../commands/audit.ts')).auditLines,
  }),
  {
    name: 'audit verify',
    group: 'Looking',
    operation: 'verify_audit',
    examples: [['audit verify', 'whether anything of the audit was changed or removed']],
    load: async () => (await import('../commands/audit.ts')).verifyAudit,
  },
  {
    name: 'doctor',
    group: 'Looking',
    summary: 'Check what Iris stands on, and say what to do where something is wrong',
    options: [
      ['--fix', 'Do what is safe about it, and say so'],
      ['--probe', 'Try what Iris relies on with your Claude Code and a scripted model; free and offline'],
    ],
    examples: [
      ['doctor', 'Node, Claude Code, configuration, store, port'],
      ['doctor --fix', 'closes files to others, removes what a dead daemon left'],
      ['doctor --probe', 'after an update of Claude Code'],
    ],
    load: async () => (await import('../commands/doctor.ts')).doctor,
  },
]
