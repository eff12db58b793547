import { callCommand } from './call-command.ts'
import type { CommandSpec } from './spec.ts'

/** Teams and their processes. */
export const teams: readonly CommandSpec[] = [
  callCommand({
    name: 'teams list',
    group: 'Manage teams',
    operation: 'list_teams',
    examples: [['teams list', "each team's name, process, directory and description"]],
    lines: async () => (await import('../../../features/teams/commands/team-lines.ts')).teamLines,
  }),
  {
    name: 'add-team',
    group: 'Manage teams',
    summary: 'Make a project a team, which others can ask',
    words: [['[path]', 'The directory of the project. Default: this one']],
    options: [
      [
        '--remote <command>',
        'The command that connects to its machine, such as "ssh inanna"; the path is on that machine',
      ],
      ['--name <name>', 'Default: the name of the directory'],
      ['--description <text>', 'What it knows about. Default: the beginning of its CLAUDE.md or README'],
    ],
    examples: [
      ['add-team ~/projects/backend', 'as the team backend'],
      ['add-team --remote "ssh inanna" /opt/containers', 'a project on another machine'],
      ['add-team . --name shop --description "Prices and stock"', 'this project, in your words'],
    ],
    load: async () => (await import('../../../features/teams/commands/teams.ts')).addTeam,
  },
  {
    name: 'remove-team',
    group: 'Manage teams',
    destructive: true,
    summary: 'Remove a team from the configuration; its conversations are kept',
    words: [['<team>', 'Its name']],
    examples: [['remove-team backend', 'nobody can ask it from then on']],
    load: async () => (await import('../../../features/teams/commands/teams.ts')).removeTeam,
  },
  callCommand({
    name: 'wake',
    group: 'Manage teams',
    operation: 'team_wake',
    places: { team: '<team>' },
    examples: [['wake backend', 'starts its process, so that the next message need not wait']],
    lines: async () => (await import('../../../features/teams/commands/team-lines.ts')).wakeLines,
  }),
  callCommand({
    name: 'wake-all',
    group: 'Manage teams',
    operation: 'team_wake_all',
    examples: [['wake-all --parallel', 'several at once, while the pool has free places']],
    lines: async () => (await import('../../../features/teams/commands/team-lines.ts')).wakeAllLines,
  }),
  callCommand({
    name: 'sleep',
    group: 'Manage teams',
    destructive: true,
    operation: 'team_sleep',
    places: { team: '<team>' },
    examples: [['sleep backend', 'ends its process; the conversation is kept']],
    lines: async () => (await import('../../../features/teams/commands/team-lines.ts')).sleepLines,
  }),
  {
    name: 'wait',
    group: 'Ask teams',
    operation: 'session_wait',
    places: { team: '<team>' },
    examples: [
      ['wait backend', 'returns when it has answered everything'],
      ['wait backend --timeout 10m && npm test', 'runs the tests only if that happens within ten minutes'],
    ],
    load: async () => (await import('../../../features/messages/commands/wait.ts')).wait,
  },
]
