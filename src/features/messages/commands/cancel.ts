import type { Input, Output } from '../../../adapters/client/tool-call.ts'
import { usualSpeaker } from '../../../app/cli/ask/speaker.ts'
import { call } from '../../../app/cli/call.ts'
import type { CommandContext } from '../../../app/cli/context.ts'
import { interrupted } from '../../../app/cli/exit-code.ts'
import { choose } from '../../../app/cli/prompt.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { plainLine } from '../../../base/lib/plain-line.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { shownPair } from '../../../base/protocol/pair.ts'
import { turnStandingOf } from '../../../base/protocol/standing.ts'
import { cancelLines } from '../../conversations/commands/session-lines.ts'

type Open = Output<'list_turns'>['turns'][number]

/** Cancels the named message; without a name the only open one, or the one that the person chooses. */
export async function cancel({ context, input, json }: Given): Promise<number | undefined> {
  const named = input as Input<'session_cancel'>
  const isNamed = named.turnId !== undefined || named.team !== undefined
  const turnId = isNamed ? named.turnId : await openMessage(context, named.fromTeam, json)
  if (!isNamed && turnId === undefined) return interrupted
  // `--team` means the message that the team answers for the default sender of `iris tell`.
  const isByTeam = named.team !== undefined && named.fromTeam === undefined && turnId === undefined
  const fromTeam = isByTeam ? await usualSpeaker(context, named.team!) : named.fromTeam
  const cancelled = await call(context, 'session_cancel', {
    ...named,
    ...(turnId !== undefined && { turnId }),
    ...(fromTeam !== undefined && { fromTeam }),
  })
  if (json) context.sayJson(cancelled)
  else for (const line of cancelLines(cancelled)) context.say(line)
  return undefined
}

/**
 * The id of an open message; undefined if the person left without choosing. Throws `no_running_turn` and
 * `invalid_input`.
 */
async function openMessage(
  context: CommandContext,
  from: string | undefined,
  json: boolean,
): Promise<string | undefined> {
  const { turns } = await call(context, 'list_turns', { status: 'open', root: true, limit: 200 })
  const own = turns.filter((turn) => from === undefined || turn.from === from)
  const [only, ...others] = own
  if (only === undefined)
    throw new IrisError('no_running_turn', 'No message is running or waiting.', 'See "iris sessions".')
  if (others.length === 0) return only.turnId
  if (context.isInteractive && !json) {
    const choices = own.map((turn) => ({ value: turn.turnId, label: textOf(turn) }))
    return choose(context, 'Which message do you want to cancel?', choices)
  }
  const what = `${own.length} messages are running or waiting:\n${own.map((turn) => `  ${textOf(turn)}`).join('\n')}`
  throw new IrisError('invalid_input', what, 'Choose one by the first characters of its id: iris cancel <turn>.')
}

function textOf(turn: Open): string {
  return `${shortId(turn.turnId)}  ${shownPair(turn)}  ${turnStandingOf(turn)}  ${plainLine(turn.message, 60)}`
}
