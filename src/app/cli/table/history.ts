import { callCommand } from './call-command.ts'
import type { CommandSpec } from './spec.ts'

/** What happened to messages, and what it cost. */
export const history: readonly CommandSpec[] = [
  callCommand({
    name: 'search',
    group: 'Find out what happened',
    operation: 'search_messages',
    places: { query: '<words...>' },
    examples: [
      ['search order fields', 'in all that was ever asked and answered'],
      ['search \'"exactly this"\' --to backend', 'words in double quotes are searched as one phrase'],
    ],
    lines: async () => (await import('../../../features/search/commands/search-lines.ts')).searchLines,
  }),
  callCommand({
    name: 'trace',
    group: 'Find out what happened',
    operation: 'trace_turn',
    places: { turnId: '[turn]' },
    examples: [
      ['trace 3f2a9c01', 'who asked whom because of it, and where the time went'],
      ['trace', 'of your newest message, at a terminal'],
    ],
    lines: async () => (await import('../../../features/traces/commands/trace-lines.ts')).traceLines,
  }),
  callCommand({
    name: 'why',
    group: 'Find out what happened',
    summary: 'Explain what happened to a message, step by step',
    operation: 'trace_turn',
    places: { turnId: '[turn]' },
    without: ['limit', 'cursor'],
    examples: [
      ['why 3f2a9c01', 'what it waited for, what it did, how it ended'],
      ['why', 'of your newest message, at a terminal'],
    ],
    lines: async () => (await import('../../../features/traces/commands/trace-lines.ts')).whyLines,
  }),
  {
    name: 'insight stats',
    group: 'Find out what happened',
    operation: 'session_stats',
    options: [['--channels', 'What a message in a chat costs: the first of a conversation, and later ones']],
    examples: [
      ['insight stats', 'messages, answer times, tokens and cost of 30 days'],
      ['insight stats --team backend --since 7d', 'of one team, in the last week'],
      ['insight stats --channels', 'what the second message saves'],
    ],
    load: async () => (await import('../../../views/usage/commands/stats.ts')).stats,
  },
  callCommand({
    name: 'insight usage',
    group: 'Find out what happened',
    operation: 'get_usage',
    examples: [
      ['insight usage', 'how far each account is from its limits, and who used what in a week'],
      ['insight usage --since 1d', 'in the last day'],
    ],
    lines: async () => (await import('../../../views/usage/commands/usage-lines.ts')).usageLines,
  }),
  {
    name: 'insight patterns',
    group: 'Find out what happened',
    operation: 'find_patterns',
    without: ['until', 'offsetMinutes'],
    examples: [
      ['insight patterns', 'what was asked repeatedly, what fails, what is slow, in 30 days'],
      ['insight patterns --team backend --since 7d', 'of one team, in the last week'],
    ],
    load: async () => (await import('../../../features/insight/commands/patterns.ts')).patterns,
  },
  callCommand({
    name: 'insight drift',
    group: 'Find out what happened',
    operation: 'list_drift',
    examples: [
      ['insight drift', 'earlier answers whose files have changed since'],
      ['insight drift --team backend', 'answers to and by one team'],
    ],
    lines: async () => (await import('../../../features/insight/commands/drift-lines.ts')).driftLines,
  }),
  callCommand({
    name: 'insight healings',
    group: 'Find out what happened',
    operation: 'list_healings',
    examples: [['insight healings --since 7d', 'faults of the last week, and how long each took to heal']],
    lines: async () => (await import('../../../features/insight/commands/healing-lines.ts')).healingLines,
  }),
  {
    name: 'insight reflect',
    group: 'Find out what happened',
    operation: 'reflect',
    without: ['until'],
    options: [['--queries', 'Also the SQL statement behind each figure']],
    examples: [
      ['insight reflect', 'what was asked twice, rules that would save questions, what costs most'],
      ['insight reflect --team backend --since 7d --queries', 'of one team, with the statements'],
    ],
    load: async () => (await import('../../../features/insight/commands/reflect.ts')).reflect,
  },
  {
    name: 'insight apply',
    group: 'Find out what happened',
    summary: 'Write a suggested answer into the CLAUDE.md of its team',
    operation: 'decide_suggestion',
    places: { suggestionId: '<suggestion>' },
    without: ['decision', 'diff'],
    examples: [['insight apply 3f2a9c01', 'its first characters are enough']],
    load: async () => (await import('../../../features/insight/commands/reflect.ts')).applySuggestion,
  },
  {
    name: 'insight refuse',
    group: 'Find out what happened',
    destructive: true,
    summary: 'Refuse a suggestion for good',
    operation: 'decide_suggestion',
    places: { suggestionId: '<suggestion>' },
    without: ['decision', 'diff'],
    examples: [['insight refuse 3f2a9c01', 'it does not come back, whatever its words']],
    load: async () => (await import('../../../features/insight/commands/reflect.ts')).refuseSuggestion,
  },
  {
    name: 'logs',
    group: 'Find out what happened',
    operation: 'get_logs',
    without: ['logs_since', 'getAllStores', 'format'],
    options: [['-f, --follow', 'Follow the log, until Ctrl-C']],
    examples: [
      ['logs --level warn', 'what went wrong since the daemon started'],
      ['logs -f', 'as it happens'],
    ],
    load: async () => (await import('../../../features/operator/commands/logs.ts')).logs,
  },
  {
    name: 'audit',
    group: 'Find out what happened',
    operation: 'list_audit',
    without: ['before'],
    examples: [
      ['audit --since 1d', 'of the last day'],
      ['audit --team backend --limit 20', 'the newest 20 by or about a team'],
    ],
    load: async () => (await import('../../../features/audit/commands/audit.ts')).audit,
  },
  {
    name: 'audit verify',
    group: 'Find out what happened',
    operation: 'verify_audit',
    examples: [['audit verify', 'whether anything of the audit was changed or removed']],
    load: async () => (await import('../../../features/audit/commands/audit.ts')).verifyAudit,
  },
]
