import { buffer } from 'node:stream/consumers'
import type { Output } from '../../../adapters/client/tool-call.ts'
import { ownerCall, readAgain } from '../../../app/cli/call.ts'
import { localTime } from '../../../app/cli/moment.ts'
import { runningDaemon } from '../../../app/cli/running-daemon.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { utf8Of } from '../../../base/lib/utf8.ts'
import { visible } from '../../../base/lib/visible.ts'
import { IrisError } from '../../../base/protocol/error.ts'

type Listed = Output<'list_triggers'>['triggers'][number]

const words: Readonly<Record<keyof Listed['requests'], string>> = {
  accepted: 'became messages',
  repeated: 'repeated',
  leftOut: 'excluded by "when"',
  unusable: 'unusable',
  refused: 'refused',
  busy: 'to be sent again',
  tooLarge: 'too large',
  tooSlow: 'too slow',
  crowded: 'made room for others',
}

export function triggerLines({ triggers }: Output<'list_triggers'>): readonly string[] {
  if (triggers.length === 0) return ['There are no triggers: docs/guide/triggers.md says how to add one.']
  return triggers.flatMap(({ trigger, scheme, team, role, path, url, problems, requests, lastProblem }) => {
    const counted = (Object.keys(words) as (keyof Listed['requests'])[]).filter((each) => requests[each] > 0)
    return [
      `${trigger}  ${scheme} at ${url ?? path} → ${team}, role ${role}`,
      ...problems.map((problem) => `  problem   ${problem}`),
      ...(counted.length === 0
        ? []
        : [`  so far    ${counted.map((each) => `${requests[each]} ${words[each]}`).join(', ')}`]),
      ...(lastProblem === undefined ? [] : [`  unusable  ${visible(lastProblem.why)} (${localTime(lastProblem.at)})`]),
    ]
  })
}

/** Reads the event from stdin. Throws `invalid_input` if it is not JSON. */
export async function testTrigger({ context, input, json }: Given): Promise<void> {
  // A daemon that cannot run matters more than what stdin has.
  await runningDaemon(context)
  if (context.stdin.isTTY === true) throw wrong('The event comes from stdin, and stdin is this terminal')
  const text = utf8Of(await buffer(context.stdin))
  const event = parsed(text)
  const trigger = String(input['trigger'])
  const tested = await readAgain(() => ownerCall(context, 'test_trigger', { trigger, event }))
  if (json) return context.sayJson(tested)
  const { result, why, asker, team, thread, message, problems } = tested
  for (const problem of problems) context.note(`Iris is not accepting events now: ${problem}.`)
  if (result !== 'message') return context.say(`No message: ${why}.`)
  context.note(`${asker} would ask ${team} in the thread ${thread}, by the role ${tested.role}:`)
  context.say(visible(message ?? ''))
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch (error) {
    throw wrong(`The input from stdin is not JSON (${(error as Error).message})`)
  }
}

function wrong(what: string): IrisError {
  return new IrisError('invalid_input', `${what}.`, 'For example: iris trigger test NAME < event.json')
}
