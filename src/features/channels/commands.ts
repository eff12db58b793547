import type { Pair } from '../../base/protocol/pair.ts'
import { roleOfThread } from '../../base/protocol/role.ts'
import { type ChannelSessions, figures } from './channel-sessions.ts'
import type { ChannelsParts } from './parts.ts'

const known = ['new', 'status', 'stop', 'who', 'help', 'start'] as const
export type ChatCommand = (typeof known)[number]

/**
 * A command to Iris, which no model sees. In groups, a command may be `/new@shop_bot`; a link to the bot adds its
 * parameter to `/start`.
 */
export function commandIn(text: string): ChatCommand | undefined {
  const [, word = '', more = ''] = /^\/([a-z]+)(?:@\w+)?(?:\s+([\w-]{1,64}))?\s*$/i.exec(text) ?? []
  const command = known.find((each) => each === word.toLowerCase())
  return more === '' || command === 'start' ? command : undefined
}

/** Runs the command, and returns the reply. */
export async function answerCommand(
  command: ChatCommand,
  pair: Pair,
  { sessions, turns }: Pick<ChannelsParts, 'sessions' | 'turns'>,
): Promise<string> {
  if (command === 'status') return statusText(pair, sessions)
  if (command === 'who') return `${pair.to} answers here, with the role "${roleOfThread(pair.thread)}".`
  if (command === 'stop') return (await sessions.stop(pair, turns)) ? 'Stopped.' : 'Nothing is being answered.'
  if (command === 'new') return (await sessions.endNow(pair)) ? 'The next message begins a new conversation.' : busy
  return helpText
}

const busy = 'A message is being answered. Send /stop first.'

const helpText = [
  'Write your question.',
  '/new begins a new conversation, /stop ends the answer that is being written, /status says what is going on, /who says who answers.',
].join('\n')

function statusText(pair: Pair, sessions: ChannelSessions): string {
  const session = sessions.find(pair)
  if (session === undefined) return 'There is no conversation. The next message begins one.'
  const { running, waiting, row } = session
  const work = running === undefined ? 'Nothing is being answered' : 'A message is being answered'
  return `${work}${waiting > 0 ? `, ${waiting} behind it` : ''}. ${figures(row)}.`
}
