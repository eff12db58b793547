import { randomUUID } from 'node:crypto'
import { IrisError } from '../../protocol/error.ts'
import { showAnswer } from '../ask/show-answer.ts'
import { chosenTeam, teamNames } from '../ask/team-choice.ts'
import { call } from '../call.ts'
import { type Conversation, commandIn, completions } from '../chat/commands.ts'
import { Keyboard } from '../chat/keyboard.ts'
import { readMessage } from '../chat/read-message.ts'
import type { Given } from '../command/spec.ts'
import { interrupted } from '../exit-code.ts'
import { isInteractive } from '../prompt.ts'
import { note, say } from '../say.ts'

/** A conversation with a team, message by message; a message that is refused ends nothing. */
export async function chat({ env, options, refusalText }: Given): Promise<number | undefined> {
  if (!isInteractive()) {
    throw new IrisError('invalid_input', 'A chat needs a terminal.', 'Use "iris tell <team> <message>" instead.')
  }
  const { team, from, thread } = options as { team?: string; from?: string; thread?: string }
  const toTeam = team ?? (await chosenTeam(env))
  if (toTeam === undefined) return interrupted
  using keyboard = new Keyboard()
  let talk: Conversation = { toTeam, thread, fromTeam: from }
  const teams = await teamNames(env)
  const history = await earlierMessages(talk)
  say(`You talk with ${toTeam}. /help shows what else can be typed; Ctrl-D ends it.`)
  for (;;) {
    const prompt = promptOf(talk)
    const message = await readMessage({ keyboard, prompt, history, complete: (line) => completions(line, teams) })
    if (message === undefined) return undefined
    if (message.trim() === '') continue
    const step = commandIn(message, talk)
    if (step === 'end') return undefined
    if (step !== undefined) talk = step
    else await send(message)
  }

  async function earlierMessages({ toTeam, ...pair }: Conversation): Promise<string[]> {
    const { entries } = await call(env, 'session_report', { team: toTeam, ...pair, limit: 100 })
    return entries.map(({ message }) => message).toReversed()
  }

  async function send(message: string): Promise<void> {
    try {
      const asked = { ...talk, message, timeout: -1, idempotencyKey: randomUUID() }
      const { turnId } = await call(env, 'send_message', asked)
      await showAnswer(env, turnId, { timeoutMs: 0, json: false, keyboard })
    } catch (error) {
      if (!(error instanceof IrisError)) throw error
      note(refusalText(error))
    }
  }
}

function promptOf({ toTeam, thread }: Conversation): string {
  return thread === undefined ? `${toTeam}> ` : `${toTeam} (${thread})> `
}
