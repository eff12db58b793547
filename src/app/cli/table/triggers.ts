import { callCommand } from './call-command.ts'
import type { CommandSpec } from './spec.ts'

/** Commands for triggers: events from outside programs become messages. */
export const triggers: readonly CommandSpec[] = [
  callCommand({
    name: 'trigger list',
    group: 'Let people and programs in',
    operation: 'list_triggers',
    examples: [['trigger list', 'where senders post, and what became of their events']],
    lines: async () => (await import('../../../features/triggers/commands/triggers.ts')).triggerLines,
  }),
  {
    name: 'trigger test',
    group: 'Let people and programs in',
    operation: 'test_trigger',
    places: { trigger: '<name>' },
    without: ['event'],
    examples: [['trigger test github < event.json', 'the message that this event would become; sends nothing']],
    load: async () => (await import('../../../features/triggers/commands/triggers.ts')).testTrigger,
  },
]
