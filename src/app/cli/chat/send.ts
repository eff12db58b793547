import type { TurnResult } from '../../../base/protocol/turn.ts'
import { sendMessage } from '../ask/send-message.ts'
import { type AnswerOptions, showAnswer } from '../ask/show-answer.ts'
import type { CommandContext } from '../context.ts'
import type { Conversation } from './commands.ts'

/** Sends a message of a chat and shows its answer, without a time limit; resolves with the exit code. */
export async function send(
  context: CommandContext,
  talk: Conversation,
  message: string,
  shown: Omit<AnswerOptions, 'timeoutMs'>,
): Promise<number> {
  // Each sent line counts as a new command, so it starts a daemon that has been stopped in the meantime.
  if (!shown.json) context.usedHomes.clear()
  shown.screen?.shows(() => `asking ${talk.toTeam}`)
  const accepted = (await sendMessage(context, { ...talk, message })) as TurnResult
  for (const change of accepted.changes ?? []) context.note(`Note: ${change}`)
  return showAnswer(context, accepted, { ...shown, timeoutMs: 0, speaker: accepted.from })
}
