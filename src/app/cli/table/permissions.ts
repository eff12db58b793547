import type { CommandSpec } from './spec.ts'

/** The questions of agents whether a tool may run. */
export const permissions: readonly CommandSpec[] = [
  {
    name: 'permissions',
    group: 'Answer permission requests',
    summary: 'Answer or list the permission requests of agents',
    options: [
      ['--all', 'Include the decided ones'],
      ['--team <name>', 'Only those of this team'],
      ['--list', 'Only list them; the default without a terminal'],
    ],
    examples: [
      ['permissions', 'shows each question and asks you'],
      ['permissions --list --team backend', 'lists the waiting requests'],
    ],
    load: async () => (await import('../../../features/permission/commands/permissions.ts')).permissions,
  },
  {
    name: 'allow',
    group: 'Answer permission requests',
    summary: 'Allow what an agent asks',
    words: [['<id>', 'The id of the question, or its first characters; "iris permissions" shows it']],
    options: [
      ['--scope <scope>', 'Once (default), session, pair or always'],
      ['--rule <rule>', 'The rule to add with a longer scope, instead of the exact one'],
      ['--input <json>', 'Run the tool with this input instead'],
    ],
    examples: [['allow 3f2a9c01 --scope session', 'does not ask the same again in this conversation']],
    load: async () => (await import('../../../features/permission/commands/answer-permission.ts')).allow,
  },
  {
    name: 'deny',
    group: 'Answer permission requests',
    summary: 'Deny what an agent asks',
    words: [
      ['<id>', 'The id of the question, or its first characters'],
      ['[message...]', 'The reason, for the agent'],
    ],
    options: [
      ['--scope <scope>', 'Once (default), session, pair or always'],
      ['--rule <rule>', 'The rule to add with a longer scope, instead of the exact one'],
    ],
    examples: [['deny 3f2a9c01 use the test database', 'the agent gets the reason']],
    load: async () => (await import('../../../features/permission/commands/answer-permission.ts')).deny,
  },
]
