import { callCommand } from './call-command.ts'
import type { CommandSpec } from './spec.ts'

/** Messages to teams, and their answers. */
export const messages: readonly CommandSpec[] = [
  {
    name: 'tell',
    group: 'Ask teams',
    operation: 'send_message',
    places: { toTeam: '[team]', message: '[message...]' },
    without: ['raw', 'responseSchema', 'attachments', 'inReplyTo', 'patience'],
    options: [
      ['--schema <path>', 'Get the answer as JSON that matches the JSON Schema in this file'],
      ['--attach <path...>', 'A file of up to 10 MB to send along, or - for stdin; repeatable'],
      ['--key <text>', 'Send only one message, however often you run the command with this key'],
      ['--async', 'Do not wait: print the id of the message, for "iris result"'],
      ['--file <path>', 'Read the message from a file, or - for stdin, and add it to what you type'],
    ],
    examples: [
      ['tell backend "Which fields does an order have?"', 'the answer appears as it comes'],
      ['tell backend,mobile "Do you call the old login?"', 'both teams answer'],
      ['tell', 'asks you for the team and the message'],
      ['tell backend --file - <notes.md', 'a long message'],
      ['tell backend "What is wrong here?" --attach error.png', 'sends a picture along'],
      ['tell backend "Run all tests." --async', 'collect the answer later'],
      ['tell backend "What is new?" --every weekday --at 9:00', 'repeats; "iris schedules" lists it'],
      ['tell backend "Which port?" --schema port.json', 'the answer is JSON that a program can read'],
    ],
    load: async () => (await import('../commands/tell.ts')).tell,
  },
  {
    name: 'chat',
    group: 'Ask teams',
    summary: 'Talk with a team',
    words: [['[team]', 'The team to talk with']],
    options: [
      ['--from <team>', 'Who asks: a team, or you. Default: the team of this directory, else you'],
      ['--thread <name>', 'A parallel conversation of this pair. Default: main'],
    ],
    examples: [
      ['chat backend', 'the up key shows earlier messages'],
      ['chat backend --json <questions.txt', 'sends each line as a message, and prints each result as a line of JSON'],
    ],
    load: async () => (await import('../commands/chat.ts')).chat,
  },
  {
    name: 'result',
    group: 'Ask teams',
    operation: 'message_status',
    places: { turnId: '[turn]' },
    without: ['raw', 'fromTeam'],
    examples: [
      ['result 3f2a9c01', 'its answer or its progress; the first characters of its id are enough'],
      ['result', 'the answer to your newest message, at a terminal'],
      ['result 3f2a9c01 --timeout 0', 'waits for the answer'],
      ['result 3f2a9c01 --everything', 'everything the agent said, including between its tools'],
      ['result 3f2a9c01 --from 0', 'the first part of a long answer, and where the next part begins'],
    ],
    load: async () => (await import('../../../features/messages/commands/result.ts')).result,
  },
  callCommand({
    name: 'schedules',
    group: 'Ask teams',
    operation: 'list_schedules',
    examples: [['schedules', 'messages to be sent later; "iris cancel <id>" cancels one']],
    lines: async () => (await import('../../../features/schedules/commands/schedule-lines.ts')).scheduleLines,
  }),
  {
    name: 'retry',
    group: 'Ask teams',
    operation: 'retry_message',
    places: { turnId: '[turn]' },
    options: [['--async', 'Do not wait: print the id of the new message, for "iris result"']],
    examples: [
      ['retry 3f2a9c01', 'sends the failed message again, and shows the answer as it comes'],
      ['retry', 'asks whether to retry your newest failed message'],
      ['retry 3f2a9c01 --even-in-doubt', 'even if nobody knows how it ended'],
    ],
    load: async () => (await import('../../../features/retry/commands/retry.ts')).retry,
  },
  callCommand({
    name: 'promote',
    group: 'Ask teams',
    operation: 'promote_turn',
    places: { turnId: '<turn>' },
    examples: [
      ['promote 3f2a9c01', 'lets that message into your open session, or puts its answer there'],
      ['promote 3f2a9c01 --team mobile', 'puts the answer into your open session of mobile'],
    ],
    lines: async () => (await import('../../../features/insight/commands/promote-lines.ts')).promoteLines,
  }),
  {
    name: 'cancel',
    group: 'Ask teams',
    destructive: true,
    operation: 'session_cancel',
    places: { turnId: '[turn]' },
    without: ['toTeam'],
    examples: [
      ['cancel 3f2a9c01', 'cancels that message, running or waiting'],
      ['cancel --team backend', 'cancels the message that backend is working on for you'],
      ['cancel', 'cancels the only running or waiting message, or lets you choose'],
    ],
    load: async () => (await import('../../../features/messages/commands/cancel.ts')).cancel,
  },
  {
    name: 'notify',
    group: 'Ask teams',
    operation: 'notify',
    places: { toTeam: '<team>', message: '<message...>' },
    examples: [
      ['notify backend "The API moves on Friday."', 'goes along with your next message to it; starts nothing'],
    ],
    load: async () => (await import('../../../features/messages/commands/notify.ts')).notify,
  },
]
