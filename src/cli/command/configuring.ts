import type { CommandSpec } from './spec.ts'

const dryRun = ['--dry-run', 'Only show what would be done'] as const
const manager = ['--for <manager>', 'systemd or launchd. Default: what this machine has'] as const

/** config.yaml, and Iris as a service. */
export const configuring: readonly CommandSpec[] = [
  {
    name: 'add-team',
    group: 'Configuring',
    summary: 'Make a project one that can be asked',
    words: [['[path]', 'The directory of the project. Default: this one']],
    options: [
      ['--name <name>', 'Default: the name of the directory'],
      ['--description <text>', 'What it knows about. Default: what its CLAUDE.md or README begins with'],
    ],
    examples: [
      ['add-team ~/projects/backend', 'as the team backend'],
      ['add-team . --name shop --description "Prices and stock"', 'this project, in your words'],
    ],
    load: async () => (await import('../commands/teams.ts')).addTeam,
  },
  {
    name: 'remove-team',
    group: 'Configuring',
    summary: 'Take a team out of the configuration; its conversations are kept',
    words: [['<team>', 'Its name']],
    examples: [['remove-team backend', 'nobody can ask it any more']],
    load: async () => (await import('../commands/teams.ts')).removeTeam,
  },
  {
    name: 'config show',
    group: 'Configuring',
    summary: 'Show config.yaml, without its secrets',
    examples: [['config show', 'as it is written']],
    load: async () => (await import('../commands/config.ts')).showConfig,
  },
  {
    name: 'config edit',
    group: 'Configuring',
    summary: 'Edit config.yaml in your editor, and check it',
    examples: [['config edit', 'in $VISUAL, $EDITOR or vi']],
    load: async () => (await import('../commands/config.ts')).editConfig,
  },
  {
    name: 'config validate',
    group: 'Configuring',
    summary: 'Check config.yaml; exits with 3 and names every mistake',
    examples: [['config validate', 'changes nothing, needs no daemon']],
    load: async () => (await import('../commands/config.ts')).validateConfig,
  },
  {
    name: 'config set',
    group: 'Configuring',
    summary: 'Set one key of config.yaml; its comments stay',
    words: [
      ['<key>', 'Such as settings.maxProcesses or teams.backend.model'],
      ['[value]', 'As in YAML; without one the default is in force again'],
    ],
    examples: [
      ['config set settings.maxProcesses 5', 'in force at once'],
      ['config set teams.backend.grantPermission', 'what settings say'],
    ],
    load: async () => (await import('../commands/config.ts')).setConfig,
  },
  {
    name: 'service install',
    group: 'Configuring',
    summary: 'Have Iris start with your session',
    options: [dryRun, manager],
    examples: [['service install --dry-run', 'shows the file, and what would be run']],
    load: async () => (await import('../commands/service.ts')).installService,
  },
  {
    name: 'service uninstall',
    group: 'Configuring',
    summary: 'Have it start no more',
    options: [dryRun, manager],
    examples: [['service uninstall', 'ends it; what Iris keeps stays']],
    load: async () => (await import('../commands/service.ts')).uninstallService,
  },
  {
    name: 'service status',
    group: 'Configuring',
    summary: 'Show whether Iris is a service, and runs as one',
    options: [manager],
    examples: [['service status', 'whether its file is there, and what the manager says']],
    load: async () => (await import('../commands/service.ts')).serviceStatus,
  },
]
