import { plainLine } from '../../../base/lib/plain-line.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { shownPair } from '../../../base/protocol/pair.ts'
import type { CommandContext } from '../context.ts'
import { counted } from '../counted.ts'
import type { AdoptDecision, LeftInHome } from '../daemon-code.ts'
import { interrupted } from '../exit-code.ts'
import { refuseAgents } from '../install/refuse-agents.ts'
import { localTime } from '../moment.ts'
import { choose } from '../prompt.ts'
import type { Given } from '../table/spec.ts'

const shownCharacters = 60

/** Shows the running and waiting messages in a copied or restored home, and decides what to do with them. */
export async function adopt({ context, env, options, json, daemon: { home } }: Given): Promise<number | undefined> {
  await refuseAgents(context, 'adopt a home')
  const given = givenIn(options)
  const left = await home.left(env)
  if (left === undefined) {
    if (json) context.sayJson({ isAdopted: true, decision: null, messages: [], schedules: [], posts: 0 })
    else context.say('There is nothing to decide: this home is not a copy, or it was already adopted.')
    return undefined
  }
  if (!json) for (const line of linesOf(left)) context.say(line)
  const nothing = left.messages.length + left.schedules.length + left.posts === 0
  const decision = given ?? (nothing ? 'deliver' : json ? undefined : await asked(context))
  if (decision === 'nothing') {
    context.note('Nothing was changed.')
    return interrupted
  }
  if (decision !== undefined) await home.adopt(env, decision)
  const { messages, schedules, posts } = left
  if (json)
    context.sayJson({
      isAdopted: decision !== undefined,
      decision: decision ?? null,
      ...left.why,
      messages,
      schedules,
      posts,
    })
  else if (!nothing)
    context.say(
      decision === 'deliver' ? 'This home delivers them from its next start on.' : 'They were cancelled here.',
    )
  if (!json) context.say('This home is adopted. "iris start" starts it.')
  return undefined
}

function givenIn({ deliver, cancel }: Given['options']): AdoptDecision | undefined {
  if (deliver === true && cancel === true)
    throw new IrisError('invalid_input', 'Use either --deliver or --cancel, not both.', 'Use one of them.')
  if (deliver === true) return 'deliver'
  return cancel === true ? 'cancel' : undefined
}

async function asked(context: CommandContext): Promise<AdoptDecision | 'nothing'> {
  if (context.isInteractive) return (await choose(context, 'What should happen to them?', choices)) ?? 'nothing'
  throw new IrisError(
    'invalid_input',
    'You have not decided what happens to the messages, so nothing was changed.',
    'Run "iris adopt --deliver" to deliver them from this home, or "iris adopt --cancel" to cancel them here.',
  )
}

const choices = [
  { value: 'cancel', label: 'Cancel them here' },
  { value: 'deliver', label: 'Deliver them from this home' },
  { value: 'nothing', label: 'Decide later' },
] as const

function linesOf({ home, why, messages, schedules, posts }: LeftInHome): readonly string[] {
  const head =
    why.kind === 'copy'
      ? [
          `${home} is a copy of ${why.of}, which is still there.`,
          'The conversations stay with the original, and each pair begins a new one here. This home gets its own credentials.',
        ]
      : [`${home} was restored from a backup of ${localTime(why.backedUpAt)}.`]
  const said = (message: string): string => plainLine(message, shownCharacters)
  return [
    ...head,
    ...messages.map(({ turnId, begunAt, acceptedAt, message, ...pair }) => {
      const state = begunAt === null ? `waited since ${localTime(acceptedAt)}` : `ran since ${localTime(begunAt)}`
      return `  ${shortId(turnId)}  ${shownPair(pair)}  ${state}: ${said(message)}`
    }),
    ...schedules.map(
      ({ scheduleId, nextAt, ask }) =>
        `  ${shortId(scheduleId)}  to be sent at ${localTime(nextAt)}: ${said(messageOf(ask))}`,
    ),
    ...(posts === 0 ? [] : [`  ${counted(posts, 'message')} to be posted in chats`]),
    ...(messages.length + schedules.length + posts === 0 ? ['Nothing ran or waited in it.'] : []),
  ]
}

function messageOf(ask: string): string {
  const { message } = JSON.parse(ask) as { readonly message: string }
  return message
}
