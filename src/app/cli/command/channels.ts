import { callCommand } from './call-command.ts'
import type { CommandSpec } from './spec.ts'

const who = {
  channel: ['<channel>', 'The name of the channel in config.yaml'],
  id: ['<id>', 'The numeric id that the platform gives: "iris channels list" shows it'],
} as const

/** Where people in chats talk to teams, and who may. */
export const channels: readonly CommandSpec[] = [
  callCommand({
    name: 'channels list',
    group: 'Configuration',
    operation: 'list_channels',
    examples: [['channels list', 'whether each is connected, who may talk, who asks to']],
    lines: async () => (await import('../commands/channels.ts')).channelLines,
  }),
  callCommand({
    name: 'channels pending',
    group: 'Configuration',
    operation: 'list_channels',
    summary: 'Who was shown a code and waits for you',
    examples: [['channels pending', 'their codes are in the chats, not here']],
    lines: async () => (await import('../commands/channels.ts')).pendingLines,
  }),
  callCommand({
    name: 'channels test',
    group: 'Configuration',
    operation: 'test_channel',
    places: { channel: '<channel>' },
    examples: [['channels test shop', 'whether its tokens are valid, and what the bot lacks']],
    lines: async () => (await import('../commands/channels.ts')).testLines,
  }),
  callCommand({
    name: 'channels skipped',
    group: 'Configuration',
    operation: 'list_skipped',
    places: { channel: '<channel>' },
    examples: [['channels skipped shop', 'what people wrote while Iris was away, and nobody answered']],
    lines: async () => (await import('../commands/channels.ts')).skippedLines,
  }),
  callCommand({
    name: 'channels replay',
    group: 'Configuration',
    operation: 'replay_skipped',
    places: { channel: '<channel>' },
    examples: [['channels replay shop', 'has them answered in their chats, each once']],
    lines: async () => (await import('../commands/channels.ts')).replayLines,
  }),
  {
    name: 'channels pair',
    group: 'Configuration',
    summary: 'Let somebody talk who was shown a code',
    words: [who.channel, ['<code>', 'The six characters that the person was shown']],
    examples: [['channels pair shop K7M2QX', 'and the person is told so']],
    load: async () => (await import('../commands/channels.ts')).pair,
  },
  {
    name: 'channels allow',
    group: 'Configuration',
    summary: 'Let a person talk, by the numeric id',
    words: [who.channel, who.id],
    examples: [['channels allow shop 123456789', 'whatever name that person has']],
    load: async () => (await import('../commands/channels.ts')).allow,
  },
  {
    name: 'channels remove',
    group: 'Configuration',
    summary: 'Let a person talk no more',
    words: [who.channel, who.id],
    examples: [['channels remove shop 123456789', 'what waits is still answered']],
    load: async () => (await import('../commands/channels.ts')).remove,
  },
]
