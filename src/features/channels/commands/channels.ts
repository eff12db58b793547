import type { Input, Output } from '../../../adapters/client/tool-call.ts'
import { ownerCall } from '../../../app/cli/call.ts'
import type { Given, Run } from '../../../app/cli/table/spec.ts'
import { visible } from '../../../base/lib/visible.ts'

type Channel = Output<'list_channels'>['channels'][number]

export function channelLines({ channels }: Output<'list_channels'>): string[] {
  if (channels.length === 0) return ['There are no channels: "iris channels add" adds one.']
  return channels.flatMap(linesOf)
}

export function pendingLines({ channels }: Output<'list_channels'>): string[] {
  const lines = channels.flatMap(({ name, pending }) =>
    pending.map((one) => `${name}  ${visible(one.name)} (${one.sender}): iris channels pair ${name} <code>`),
  )
  return lines.length === 0 ? ['Nobody waits.'] : lines
}

export function testLines({ channel, isValid, as: bot, why, missing, link }: Output<'test_channel'>): string[] {
  if (!isValid) return [`${channel} does not work: ${visible(why ?? 'the platform does not answer')}.`]
  const state = `Its connection is ${linkState(link)}.`
  const found = missing.length === 0 ? ['Nothing is missing.'] : ['Missing:', ...missing.map((one) => `  ${one}`)]
  return [`${channel} is ${visible(bot ?? '')}; its tokens are valid. ${state}`, ...found]
}

export function skippedLines({ messages }: Output<'list_skipped'>): string[] {
  if (messages.length === 0) return ['No message was skipped.']
  return messages.map(
    ({ chat, sender, name, text, sentAt }) =>
      `${new Date(sentAt).toISOString()}  ${chat}  ${visible(name)} (${sender}): ${visible(text)}`,
  )
}

export function replayLines({ channel, replayed, left }: Output<'replay_skipped'>): string[] {
  const more = left === 0 ? '' : ` ${left} are left: run this again when these are answered.`
  return [`${replayed} skipped message${replayed === 1 ? ' is' : 's are'} now being answered in ${channel}.${more}`]
}

function linkState({ state, why, catchingUp }: Channel['link']): string {
  const progress = catchingUp && `, catching up: ${catchingUp.read} of ${catchingUp.of} chats read`
  return `${state}${why === undefined ? '' : ` (${visible(why)})`}${progress ?? ''}`
}

function failureLine({ chat, posts, why, at, isOver }: Channel['failures'][number]): string {
  const what = `${posts} post${posts === 1 ? '' : 's'}, the last at ${new Date(at).toISOString()}`
  const now = isOver ? 'later ones arrived' : 'nothing arrived there since'
  return `  failed    in ${chat}: ${visible(why)} (${what}; ${now})`
}

function linesOf(channel: Channel): string[] {
  const { name, platform, team, role, link, allowed, pending, messages, posts, failures, moved } = channel
  const person = (one: Channel['allowed'][number]): string => `${visible(one.name)} (${one.sender})`
  const people = (label: string, all: Channel['allowed']): string[] =>
    all.length === 0 ? [] : [`  ${label.padEnd(9)} ${all.map(person).join(', ')}`]
  const counts = Object.entries({ ...messages, ...posts }).filter(([, count]) => count > 0)
  return [
    `${name}  ${platform} ${link.as ?? ''} → ${team}, role ${role}: ${linkState(link)}`,
    ...people('allowed', allowed),
    ...people('asking', pending),
    ...(counts.length === 0 ? [] : [`  so far    ${counts.map(([what, count]) => `${count} ${what}`).join(', ')}`]),
    ...moved.map(({ from, to, remedy }) => `  moved     the group ${from} continues as ${to}. ${remedy}`),
    ...failures.map(failureLine),
  ]
}

function change(action: Input<'change_channel'>['action']): Run {
  return async ({ context, options, json }: Given) => {
    const { channel, code, id } = options as { channel: string; code?: string; id?: string }
    const changed = await ownerCall(context, 'change_channel', { channel, action, who: code ?? id ?? '' })
    if (json) return context.sayJson(changed)
    const { name, sender, isAllowed } = changed
    if (action === 'remove' && isAllowed)
      return context.say(`config.yaml still allows ${sender}: remove the id from "allow" there.`)
    context.say(
      `${visible(name)} (${sender}) may ${isAllowed ? '' : 'not '}talk in ${channel}${isAllowed ? '' : ' any more'}.`,
    )
  }
}

export const pair = change('pair')
export const allow = change('allow')
export const remove = change('remove')
