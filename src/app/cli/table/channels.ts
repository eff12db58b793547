import { callCommand } from './call-command.ts'
import type { CommandSpec } from './spec.ts'

const who = {
  channel: ['<channel>', 'The name of the channel in config.yaml'],
  id: ['<id>', 'The numeric id on the platform; "iris channels list" shows it'],
} as const

/** Where people in chats talk to teams, and who may. */
export const channels: readonly CommandSpec[] = [
  callCommand({
    name: 'channels list',
    group: 'Let people and programs in',
    operation: 'list_channels',
    examples: [['channels list', 'whether each is connected, who may talk, and who is waiting for approval']],
    lines: async () => (await import('../../../features/channels/commands/channels.ts')).channelLines,
  }),
  {
    name: 'channels add',
    group: 'Let people and programs in',
    summary: 'Let people in a chat talk to a team; asks for anything you leave out',
    words: [['[name]', 'The name of the channel, such as shop']],
    options: [
      ['--platform <platform>', 'telegram, discord or slack'],
      ['--team <team>', 'The team that answers'],
      ['--token-file <path>', "A file with the bot's token that only you can read"],
      ['--token-variable <name>', "Instead: the variable in Iris's environment that has the token"],
      ['--token-stdin', 'Instead: read it from stdin and write that file; for Slack, the app-level token is on line 2'],
      ['--app-token-file <path>', 'Slack only: a file with the app-level token'],
      ['--app-token-variable <name>', 'Slack only: the environment variable that has it'],
      ['--allow <id...>', 'The numeric id of a person who may write to the bot; others get a code'],
      ['--group <id...>', 'A group where the bot answers when mentioned; everybody there may ask'],
      ['--api-root <url>', "Another server for the platform's API; Iris sends it the token"],
      ['--token [token]', 'Refused: every user of this machine can see the arguments of a process'],
      ['--app-token [token]', 'Refused for the same reason'],
    ],
    examples: [
      ['channels add', 'asks you for everything, checks the token, and shows what it writes'],
      ['channels add shop --platform telegram --team shop --token-stdin < token', 'without a terminal'],
    ],
    load: async () => (await import('../../../features/channels/commands/channels-add.ts')).addChannel,
  },
  {
    name: 'channels delete',
    group: 'Let people and programs in',
    destructive: true,
    summary: 'Remove a channel from config.yaml, and the tokens that "channels add" wrote',
    words: [who.channel],
    examples: [['channels delete shop', 'its conversations are kept']],
    load: async () => (await import('../../../features/channels/commands/channels-delete.ts')).deleteChannel,
  },
  callCommand({
    name: 'channels pending',
    group: 'Let people and programs in',
    operation: 'list_channels',
    summary: 'List the people who have a code and are waiting for you',
    examples: [['channels pending', 'their codes are in the chats, not here']],
    lines: async () => (await import('../../../features/channels/commands/channels.ts')).pendingLines,
  }),
  callCommand({
    name: 'channels test',
    group: 'Let people and programs in',
    operation: 'test_channel',
    places: { channel: '<channel>' },
    examples: [['channels test shop', 'whether its tokens are valid, and what the bot lacks']],
    lines: async () => (await import('../../../features/channels/commands/channels.ts')).testLines,
  }),
  callCommand({
    name: 'channels skipped',
    group: 'Let people and programs in',
    operation: 'list_skipped',
    places: { channel: '<channel>' },
    examples: [['channels skipped shop', 'what people wrote while Iris was away, and nobody answered']],
    lines: async () => (await import('../../../features/channels/commands/channels.ts')).skippedLines,
  }),
  callCommand({
    name: 'channels replay',
    group: 'Let people and programs in',
    operation: 'replay_skipped',
    places: { channel: '<channel>' },
    examples: [['channels replay shop', 'answers them in their chats, each once']],
    lines: async () => (await import('../../../features/channels/commands/channels.ts')).replayLines,
  }),
  {
    name: 'channels pair',
    group: 'Let people and programs in',
    summary: 'Approve the person who has this code',
    words: [who.channel, ['<code>', 'The six characters that the person was shown']],
    examples: [['channels pair shop K7M2QX', 'the person is notified']],
    load: async () => (await import('../../../features/channels/commands/channels.ts')).pair,
  },
  {
    name: 'channels allow',
    group: 'Let people and programs in',
    summary: 'Let a person talk, by numeric id',
    words: [who.channel, who.id],
    examples: [['channels allow shop 123456789', 'regardless of the name that person uses']],
    load: async () => (await import('../../../features/channels/commands/channels.ts')).allow,
  },
  {
    name: 'channels remove',
    group: 'Let people and programs in',
    destructive: true,
    summary: 'No longer let a person talk',
    words: [who.channel, who.id],
    examples: [['channels remove shop 123456789', 'waiting messages are still answered']],
    load: async () => (await import('../../../features/channels/commands/channels.ts')).remove,
  },
]
