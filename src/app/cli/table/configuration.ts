import type { CommandSpec } from './spec.ts'

const dryRun = ['--dry-run', 'Only show what would be done'] as const
const manager = ['--for <manager>', 'systemd or launchd. Default: the one this machine has'] as const
const keyWord = ['<key>', 'For example settings.maxProcesses or teams.backend.model'] as const
const agreed = ['--yes', "Don't ask, even before removing a team or a section"] as const

/** Iris in Claude Code, config.yaml, and Iris as a service. */
export const configuration: readonly CommandSpec[] = [
  {
    name: 'install',
    group: 'Set up',
    summary: 'Register Iris with Claude Code, and create a configuration if there is none',
    options: [
      ['--project [path]', "Only for one project, in its .mcp.json. Default: this directory's"],
      ['--dry-run', 'Only show what would be changed'],
      ['--force', 'Replace another registration'],
      ['--yes', 'Make every project it finds a team'],
      ['--allow-tools', 'Let Claude Code use the tools of Iris without asking you each time'],
    ],
    examples: [
      ['install', 'for all your projects'],
      ['install --project ~/projects/backend', 'for that project, and everybody who works in it'],
      ['install --dry-run', 'what it would change'],
    ],
    load: async () => (await import('../commands/install.ts')).install,
  },
  {
    name: 'uninstall',
    group: 'Set up',
    destructive: true,
    summary: 'Undo "iris install" and "iris service install", and stop the daemon',
    options: [
      ['--purge', 'Permanently remove the configuration and all conversations too'],
      ['--dry-run', 'Only show what would be changed'],
      ['--yes', 'Ask nothing'],
    ],
    examples: [
      ['uninstall', 'keeps the configuration and conversations'],
      ['uninstall --purge --dry-run', 'what would be removed'],
    ],
    load: async () => (await import('../commands/uninstall.ts')).uninstall,
  },
  {
    name: 'config show',
    group: 'Set up',
    summary: 'Show config.yaml, without its secrets',
    examples: [['config show', 'as it is written']],
    load: async () => (await import('../../../features/configuration/commands/config.ts')).showConfig,
  },
  {
    name: 'config edit',
    group: 'Set up',
    summary: 'Edit config.yaml in your editor, and check it',
    examples: [['config edit', 'in $VISUAL, $EDITOR or vi']],
    load: async () => (await import('../../../features/configuration/commands/config-edit.ts')).editConfig,
  },
  {
    name: 'config validate',
    group: 'Set up',
    summary: 'Check config.yaml; lists every mistake and exits with 3',
    examples: [['config validate', 'changes nothing and needs no daemon']],
    load: async () => (await import('../../../features/configuration/commands/config.ts')).validateConfig,
  },
  {
    name: 'config set',
    group: 'Set up',
    summary: 'Set one key of config.yaml; its comments stay',
    words: [keyWord, ['[value]', 'As in YAML']],
    options: [agreed],
    examples: [['config set settings.maxProcesses 5', 'takes effect immediately']],
    load: async () => (await import('../../../features/configuration/commands/config-keys.ts')).setConfig,
  },
  {
    name: 'config get',
    group: 'Set up',
    summary: 'Show what config.yaml says at one key, without secrets',
    words: [keyWord],
    examples: [['config get teams.backend', 'the team, as YAML']],
    load: async () => (await import('../../../features/configuration/commands/config-keys.ts')).getConfig,
  },
  {
    name: 'config unset',
    group: 'Set up',
    destructive: true,
    summary: 'Remove one key from config.yaml, so that its default applies',
    words: [keyWord],
    options: [agreed],
    examples: [['config unset teams.backend.grantPermission', 'the team then follows settings']],
    load: async () => (await import('../../../features/configuration/commands/config-keys.ts')).unsetConfig,
  },
  {
    name: 'config undo',
    group: 'Set up',
    destructive: true,
    summary: 'Undo the last change that Iris made to config.yaml',
    options: [['--yes', "Don't ask, even if the file was edited since"]],
    examples: [['config undo', 'run it again to redo the change']],
    load: async () => (await import('../../../features/configuration/commands/config-keys.ts')).undoConfig,
  },
  {
    name: 'service install',
    group: 'Set up',
    summary: 'Start Iris with your session',
    options: [dryRun, manager],
    examples: [['service install --dry-run', 'shows the file and the commands it would run']],
    load: async () => (await import('../commands/service.ts')).installService,
  },
  {
    name: 'service uninstall',
    group: 'Set up',
    destructive: true,
    summary: 'No longer start Iris with your session',
    options: [dryRun, manager],
    examples: [['service uninstall', 'stops it; the configuration and conversations are kept']],
    load: async () => (await import('../commands/service.ts')).uninstallService,
  },
  {
    name: 'service status',
    group: 'Set up',
    summary: 'Show whether Iris is installed as a service and runs as one',
    options: [manager],
    examples: [['service status', 'whether its file exists, and what the service manager reports']],
    load: async () => (await import('../commands/service.ts')).serviceStatus,
  },
]
