import { createInterface } from 'node:readline'
import { IrisError } from '../../../base/protocol/error.ts'
import { exitCodeOf, interrupted, terminated } from '../exit-code.ts'
import type { Given } from '../table/spec.ts'
import type { Conversation } from './commands.ts'
import { send } from './send.ts'

/**
 * Sends each line of stdin as a message, and prints its result as a line of JSON before it reads the next. A refused
 * message does not end the chat; Ctrl-C and the end of Iris do. Resolves with the last exit code other than 0, else 0.
 */
export async function talkInLines({ context, refusalText }: Given, talk: Conversation): Promise<number> {
  let exitCode = 0
  for await (const message of createInterface({ input: context.stdin })) {
    if (message.trim() === '') continue
    const [last, isOver] = await answerTo(message)
    exitCode = last || exitCode
    if (isOver) break
  }
  return exitCode

  async function answerTo(message: string): Promise<readonly [exitCode: number, isOver: boolean]> {
    try {
      const ended = await send(context, talk, message, { json: true, screen: undefined })
      return [ended, ended === interrupted || ended === terminated]
    } catch (error) {
      if (!(error instanceof IrisError)) throw error
      context.sayJson({ error })
      context.note(refusalText(error))
      // Iris was stopped or cannot start, so every following line would wait for nothing.
      return [exitCodeOf(error.code), error.code === 'daemon_unreachable']
    }
  }
}
