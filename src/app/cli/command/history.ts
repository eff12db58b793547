import { callCommand } from './call-command.ts'
import type { CommandSpec } from './spec.ts'

/** What happened to messages, and what it cost. */
export const history: readonly CommandSpec[] = [
  callCommand({
    name: 'search',
    group: 'What happened',
    operation: 'search_messages',
    places: { query: '<words...>' },
    examples: [
      ['search order fields', 'in all that was ever asked and answered'],
      ['search \'"exactly this"\' --to backend', 'words in double quotes are searched as one phrase'],
    ],
    lines: async () => (await import('../commands/search-lines.ts')).searchLines,
  }),
  callCommand({
    name: 'trace',
    group: 'What happened',
    operation: 'trace_turn',
    places: { turnId: '<turn>' },
    examples: [['trace 3f2a9c01', 'who asked whom because of it, and where the time went']],
    lines: async () => (await import('../commands/trace-lines.ts')).traceLines,
  }),
  callCommand({
    name: 'why',
    group: 'What happened',
    summary: 'Tell what happened to a message, step by step',
    operation: 'trace_turn',
    places: { turnId: '<turn>' },
    without: ['limit', 'cursor'],
    examples: [['why 3f2a9c01', 'what it waited for, what it did, how it ended']],
    lines: async () => (await import('../commands/trace-lines.ts')).whyLines,
  }),
  {
    name: 'stats',
    group: 'What happened',
    operation: 'session_stats',
    options: [['--channels', 'What a message in a chat costs: the first of a conversation, and later ones']],
    examples: [
      ['stats', 'messages, answer times, tokens and cost of 30 days'],
      ['stats --team backend --since 7d', 'of one team, in the last week'],
      ['stats --channels', 'what the second message saves'],
    ],
    load: async () => (await import('../commands/stats.ts')).stats,
  },
  callCommand({
    name: 'usage',
    group: 'What happened',
    operation: 'get_usage',
    examples: [
      ['usage', 'how far each account is from its limits, and who used what in a week'],
      ['usage --since 1d', 'in the last day'],
    ],
    lines: async () => (await import('../commands/usage-lines.ts')).usageLines,
  }),
  {
    name: 'patterns',
    group: 'What happened',
    operation: 'find_patterns',
    without: ['until', 'offsetMinutes'],
    examples: [
      ['patterns', 'what was asked repeatedly, what fails, what is slow, in 30 days'],
      ['patterns --team backend --since 7d', 'of one team, in the last week'],
    ],
    load: async () => (await import('../commands/patterns.ts')).patterns,
  },
  callCommand({
    name: 'drift',
    group: 'What happened',
    operation: 'list_drift',
    examples: [
      ['drift', 'earlier answers whose files have changed since'],
      ['drift --team backend', 'answers to and by one team'],
    ],
    lines: async () => (await import('../commands/drift-lines.ts')).driftLines,
  }),
  {
    name: 'logs',
    group: 'What happened',
    operation: 'get_logs',
    without: ['logs_since', 'getAllStores', 'format'],
    options: [['-f, --follow', 'Then what is logged, until Ctrl-C']],
    examples: [
      ['logs --level warn', 'what went wrong since the daemon started'],
      ['logs -f', 'as it happens'],
    ],
    load: async () => (await import('../commands/logs.ts')).logs,
  },
  {
    name: 'audit',
    group: 'What happened',
    operation: 'list_audit',
    without: ['before'],
    examples: [
      ['audit --since 1d', 'of the last day'],
      ['audit --team backend --limit 20', 'the newest 20 by or about a team'],
    ],
    load: async () => (await import('../commands/audit.ts')).audit,
  },
  {
    name: 'audit verify',
    group: 'What happened',
    operation: 'verify_audit',
    examples: [['audit verify', 'whether anything of the audit was changed or removed']],
    load: async () => (await import('../commands/audit.ts')).verifyAudit,
  },
]
