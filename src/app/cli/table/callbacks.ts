import { callCommand } from './call-command.ts'
import type { CommandSpec } from './spec.ts'

const commands = async () => import('../../../features/outbox/commands/callbacks.ts')

/** Commands for callbacks, by which programs learn what became of their messages. */
export const callbacks: readonly CommandSpec[] = [
  callCommand({
    name: 'callbacks list',
    group: 'Let people and programs in',
    operation: 'list_callbacks',
    examples: [['callbacks list', 'how many events wait, and why']],
    lines: async () => (await commands()).callbackLines,
  }),
  callCommand({
    name: 'callbacks test',
    group: 'Let people and programs in',
    operation: 'test_callback',
    places: { callback: '<callback>' },
    examples: [['callbacks test ci', 'posts one event and shows the response']],
    lines: async () => (await commands()).testLines,
    exitCode: ({ isTaken }) => (isTaken ? 0 : 1),
  }),
  callCommand({
    name: 'callbacks replay',
    group: 'Let people and programs in',
    operation: 'replay_callback',
    places: { callback: '<callback>' },
    examples: [
      ['callbacks replay ci --since 2h', 'posts all events of the last two hours again, with their original ids'],
    ],
    lines: async () => (await commands()).replayLines,
  }),
  callCommand({
    name: 'callbacks enable',
    group: 'Let people and programs in',
    operation: 'enable_callback',
    places: { callback: '<callback>' },
    examples: [
      ['callbacks enable ci', 'resumes after the endpoint answered 410, and retries failed posts immediately'],
    ],
    lines: async () => (await commands()).enableLines,
  }),
]
