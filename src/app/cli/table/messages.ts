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
      ['--schema <path>', 'The answer is JSON that meets the JSON Schema in this file'],
      ['--attach <path...>', 'A file to send along, up to 10 MB, - for stdin; repeatable'],
      ['--key <text>', 'Runs of the command with the same key are one message, sent once'],
      ['--async', 'Do not wait: print the id of the message, for "iris result"'],
      ['--file <path>', 'Read the message from a file, - for stdin; after what is typed'],
    ],
    examples: [
      ['tell backend "Which fields does an order have?"', 'the answer appears as it comes'],
      ['tell backend,mobile "Do you call the old login?"', 'each of them answers'],
      ['tell', 'asks you for the team and the message'],
      ['tell backend --file - <notes.md', 'a long message'],
      ['tell backend "What is wrong here?" --attach error.png', 'a picture is shown to the model'],
      ['tell backend "Run all tests." --async', 'collect the answer later'],
      ['tell backend "What is new?" --every weekday --at 9:00', 'sent again and again; "iris schedules" lists it'],
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
      ['chat backend --json <questions.txt', 'a message a line, and what came of it as a line of JSON'],
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
      ['result 3f2a9c01', 'its answer, or how far it is; the first characters of its id are enough'],
      ['result', 'of your newest message, at a terminal'],
      ['result 3f2a9c01 --timeout 0', 'waits for the answer'],
      ['result 3f2a9c01 --everything', 'all that the agent said, also before and between its tools'],
      ['result 3f2a9c01 --from 0', 'the first part of a long answer, and where the next one begins'],
    ],
    load: async () => (await import('../../../features/messages/commands/result.ts')).result,
  },
  callCommand({
    name: 'schedules',
    group: 'Ask teams',
    operation: 'list_schedules',
    examples: [['schedules', 'messages that are sent later; "iris cancel <id>" cancels one']],
    lines: async () => (await import('../../../features/schedules/commands/schedule-lines.ts')).scheduleLines,
  }),
  {
    name: 'retry',
    group: 'Ask teams',
    operation: 'retry_message',
    places: { turnId: '[turn]' },
    options: [['--async', 'Do not wait: print the id of the new message, for "iris result"']],
    examples: [
      ['retry 3f2a9c01', 'sends the message that failed once more, and shows the answer as it comes'],
      ['retry', 'your newest message that failed; asks first'],
      ['retry 3f2a9c01 --even-in-doubt', 'also when nobody knows how it ended'],
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
      ['cancel 3f2a9c01', 'that message, running or waiting'],
      ['cancel --team backend', 'the one that backend works on for you'],
      ['cancel', 'the only one that runs or waits'],
    ],
    load: async () => (await import('../../../features/messages/commands/cancel.ts')).cancel,
  },
  {
    name: 'notify',
    group: 'Ask teams',
    operation: 'notify',
    places: { toTeam: '<team>', message: '<message...>' },
    examples: [
      ['notify backend "The API moves on Friday."', 'the next message to it carries the notice; wakes nobody'],
    ],
    load: async () => (await import('../../../features/messages/commands/notify.ts')).notify,
  },
]
