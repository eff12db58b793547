import { callCommand } from './call-command.ts'
import type { CommandSpec } from './spec.ts'

const pair = { fromTeam: '<from>', team: '<to>' }

/** The lasting conversations of pairs. */
export const conversations: readonly CommandSpec[] = [
  callCommand({
    name: 'sessions',
    group: 'Work with conversations',
    operation: 'list_sessions',
    examples: [
      ['sessions', 'who talks with whom, most recent first'],
      ['sessions --to backend --status all', 'includes archived conversations'],
    ],
    lines: async () => (await import('../../../features/conversations/commands/session-lines.ts')).sessionLines,
  }),
  callCommand({
    name: 'sessions show',
    group: 'Work with conversations',
    operation: 'session_report',
    places: { fromTeam: '<from>', team: '<to>' },
    without: ['toTeam'],
    examples: [['sessions show frontend backend', 'what was asked in their conversation, and how it ended']],
    lines: async () => (await import('../../../features/messages/commands/report-lines.ts')).reportLines,
  }),
  {
    name: 'cache inspect',
    group: 'Work with conversations',
    summary: 'Choose a turn of a conversation, and see everything said and done in it',
    operation: 'session_turns',
    places: { sessionId: '<session>' },
    examples: [['cache inspect 0b5c7d4e', '"iris sessions" shows the id; its beginning is enough']],
    load: async () => (await import('../commands/cache-inspect.ts')).cacheInspect,
  },
  {
    name: 'attach',
    group: 'Work with conversations',
    operation: 'session_attach',
    places: pair,
    without: ['toTeam'],
    options: [['--now', 'Do not wait for the running message']],
    examples: [
      ['attach frontend backend', 'a Claude Code of your own, in this terminal; /exit hands it back'],
      ['attach frontend backend --json', 'only prints the command and directory to start it with'],
    ],
    load: async () => (await import('../../../features/take-over/commands/attach.ts')).attach,
  },
  callCommand({
    name: 'fork',
    group: 'Work with conversations',
    operation: 'session_fork',
    places: { fromTeam: '<from>', toTeam: '<to>', newThread: '<new-thread>' },
    examples: [['fork frontend backend try-2', 'a copy of the conversation, in a new thread']],
    lines: async () => (await import('../../../features/conversations/commands/session-lines.ts')).forkLines,
  }),
  callCommand({
    name: 'reboot',
    group: 'Work with conversations',
    destructive: true,
    operation: 'session_reboot',
    places: pair,
    without: ['toTeam'],
    examples: [['reboot frontend backend', 'their next message begins a new conversation']],
    lines: async () => (await import('../../../features/conversations/commands/session-lines.ts')).messageLines,
  }),
  callCommand({
    name: 'delete',
    group: 'Work with conversations',
    destructive: true,
    operation: 'session_delete',
    places: pair,
    without: ['toTeam'],
    examples: [
      ['delete frontend backend', 'archives the conversation and keeps its transcripts'],
      ['delete frontend backend --delete-transcripts', "also deletes Claude Code's files of it"],
    ],
    lines: async () => (await import('../../../features/conversations/commands/session-lines.ts')).deleteLines,
  }),
]
