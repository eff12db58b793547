import { IrisError } from '../../../base/protocol/error.ts'
import { openLiveLine } from '../ask/live-line.ts'
import { speakerText, usualSpeaker } from '../ask/speaker.ts'
import { chosenTeam, teamNames } from '../ask/team-choice.ts'
import { call } from '../call.ts'
import { type Conversation, commandIn, completions } from '../chat/commands.ts'
import { Keyboard } from '../chat/keyboard.ts'
import { readMessage } from '../chat/read-message.ts'
import { send } from '../chat/send.ts'
import { interrupted, terminated } from '../exit-code.ts'
import type { Given } from '../table/spec.ts'

/** A chat with a team. A refused message does not end it. */
export async function chat(given: Given): Promise<number | undefined> {
  const { context, options, json, refusalText } = given
  const { team, from, thread } = options as { team?: string; from?: string; thread?: string }
  if (json && team !== undefined) {
    const { talkInLines } = await import('../chat/talk-in-lines.ts')
    return talkInLines(given, { toTeam: team, thread, fromTeam: from ?? (await usualSpeaker(context, team)) })
  }
  if (json || !context.isInteractive) {
    const [what, instead] = json ? ['a team', 'iris chat <team> --json'] : ['a terminal', 'iris tell <team> <message>']
    throw new IrisError('invalid_input', `A chat needs ${what}.`, `Use "${instead}" instead.`)
  }
  const toTeam = team ?? (await chosenTeam(context))
  if (toTeam === undefined) return interrupted
  const fromTeam = from ?? (await usualSpeaker(context, toTeam))
  if (fromTeam !== undefined && from === undefined) context.aside(speakerText(fromTeam))
  using keyboard = new Keyboard(context)
  let talk: Conversation = { toTeam, thread, fromTeam }
  const teams = await teamNames(context)
  const history = await earlierMessages(talk)
  context.say(`You are talking with ${toTeam}. Type /help for commands, or press Ctrl-D to end.`)
  let exitCode: number | undefined
  const onInterrupt = (): void => void (exitCode = interrupted)
  for (;;) {
    const prompt = promptOf(talk)
    const complete = (line: string) => completions(line, teams)
    const message = await readMessage({ context, keyboard, prompt, history, complete, onInterrupt })
    if (message === undefined) return exitCode
    if (message.trim() === '') continue
    const step = commandIn(context, message, talk)
    if (step === 'end') return undefined
    if (step !== undefined) talk = { ...step, fromTeam: from ?? (await usualSpeaker(context, step.toTeam)) }
    else if ((await ask(message)) === terminated) return terminated
  }

  async function earlierMessages({ toTeam, ...pair }: Conversation): Promise<string[]> {
    const { entries } = await call(context, 'session_report', { team: toTeam, ...pair, limit: 100 })
    return entries.map(({ message }) => message).toReversed()
  }

  async function ask(message: string): Promise<number | undefined> {
    using screen = openLiveLine(context, false)
    try {
      return await send(context, talk, message, { json: false, keyboard, screen })
    } catch (error) {
      if (!(error instanceof IrisError)) throw error
      context.note(refusalText(error))
      return undefined
    }
  }
}

function promptOf({ toTeam, thread }: Conversation): string {
  return thread === undefined ? `${toTeam}> ` : `${toTeam} (${thread})> `
}
