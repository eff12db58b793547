import { callCommand } from './call-command.ts'
import type { CommandSpec } from './spec.ts'

const pair = { fromTeam: '<from>', team: '<to>' }

/** What changes conversations and processes, and answers agents. */
export const doing: readonly CommandSpec[] = [
  callCommand({
    name: 'wake',
    group: 'Doing',
    operation: 'team_wake',
    places: { team: '<team>' },
    examples: [['wake backend', 'the next message finds its process warm']],
    lines: async () => (await import('../commands/team-lines.ts')).wakeLines,
  }),
  callCommand({
    name: 'wake-all',
    group: 'Doing',
    operation: 'team_wake_all',
    examples: [['wake-all --parallel', 'as far as the pool has free places']],
    lines: async () => (await import('../commands/team-lines.ts')).wakeAllLines,
  }),
  callCommand({
    name: 'sleep',
    group: 'Doing',
    operation: 'team_sleep',
    places: { team: '<team>' },
    examples: [['sleep backend', 'ends its process; the conversation is kept']],
    lines: async () => (await import('../commands/team-lines.ts')).sleepLines,
  }),
  callCommand({
    name: 'reboot',
    group: 'Doing',
    operation: 'session_reboot',
    places: pair,
    without: ['toTeam'],
    examples: [['reboot frontend backend', 'their next message begins a new conversation']],
    lines: async () => (await import('../commands/session-lines.ts')).messageLines,
  }),
  callCommand({
    name: 'fork',
    group: 'Doing',
    operation: 'session_fork',
    places: { fromTeam: '<from>', toTeam: '<to>', newThread: '<new-thread>' },
    examples: [['fork frontend backend try-2', 'the same past, in a thread of its own']],
    lines: async () => (await import('../commands/session-lines.ts')).forkLines,
  }),
  callCommand({
    name: 'delete',
    group: 'Doing',
    operation: 'session_delete',
    places: pair,
    without: ['toTeam'],
    examples: [
      ['delete frontend backend', 'archives the conversation; transcripts stay'],
      ['delete frontend backend --delete-transcripts', 'and what Claude Code kept of it is deleted too'],
    ],
    lines: async () => (await import('../commands/session-lines.ts')).deleteLines,
  }),
  callCommand({
    name: 'notify',
    group: 'Doing',
    operation: 'notify',
    places: { toTeam: '<team>', message: '<message...>' },
    examples: [['notify backend "The API moves on Friday."', 'stands before the next message to it; wakes nobody']],
    lines: async () => (await import('../commands/session-lines.ts')).noticeLines,
  }),
  {
    name: 'attach',
    group: 'Doing',
    operation: 'session_attach',
    places: pair,
    without: ['toTeam'],
    options: [['--now', 'Do not wait for the message that is being worked on']],
    examples: [
      ['attach frontend backend', 'a Claude Code of your own, in this terminal; /exit hands it back'],
      ['attach frontend backend --json', 'starts nothing: the command and directory to start it with'],
    ],
    load: async () => (await import('../commands/attach.ts')).attach,
  },
  {
    name: 'permissions',
    group: 'Doing',
    summary: 'Answer, or list, the questions of agents whether a tool may run',
    options: [
      ['--all', 'Also those that are decided'],
      ['--team <name>', 'Only those of this team'],
      ['--list', 'Only list them; so it is where nobody sits at a terminal'],
    ],
    examples: [
      ['permissions', 'shows each question and asks you'],
      ['permissions --list --team backend', 'which questions wait'],
    ],
    load: async () => (await import('../commands/permissions.ts')).permissions,
  },
  {
    name: 'allow',
    group: 'Doing',
    summary: 'Allow what an agent asks',
    words: [['<id>', 'Of the question, or its beginning: "iris permissions" shows it']],
    options: [
      ['--scope <scope>', 'Once (default), session, pair or always'],
      ['--rule <rule>', 'With a longer scope: this rule instead of the exact one'],
      ['--input <json>', 'Run the tool with this input instead'],
    ],
    examples: [['allow 3f2a9c01 --scope session', 'and the same is not asked again in this conversation']],
    load: async () => (await import('../commands/answer-permission.ts')).allow,
  },
  {
    name: 'deny',
    group: 'Doing',
    summary: 'Deny what an agent asks',
    words: [
      ['<id>', 'Of the question, or its beginning'],
      ['[message...]', 'Told to the agent'],
    ],
    options: [
      ['--scope <scope>', 'Once (default), session, pair or always'],
      ['--rule <rule>', 'With a longer scope: this rule instead of the exact one'],
    ],
    examples: [['deny 3f2a9c01 use the test database', 'the agent is told why']],
    load: async () => (await import('../commands/answer-permission.ts')).deny,
  },
]
