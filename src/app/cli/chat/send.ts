import type { TurnResult } from '../../../base/protocol/turn.ts'
import type { Environment } from '../../../platform/config/home.ts'
import { sendMessage } from '../ask/send-message.ts'
import { type AnswerOptions, showAnswer } from '../ask/show-answer.ts'
import { note } from '../say.ts'
import type { Conversation } from './commands.ts'

/** Sends a message of a chat and shows its answer, without a time limit; resolves with the exit code. */
export async function send(
  env: Environment,
  talk: Conversation,
  message: string,
  shown: Omit<AnswerOptions, 'timeoutMs'>,
): Promise<number> {
  shown.screen?.shows(() => `asking ${talk.toTeam}`)
  const accepted = (await sendMessage(env, { ...talk, message })) as TurnResult
  for (const change of accepted.changes ?? []) note(`Note: ${change}`)
  return showAnswer(env, accepted, { ...shown, timeoutMs: 0, speaker: accepted.from })
}
