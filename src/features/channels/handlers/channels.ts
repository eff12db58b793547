import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { isPersonId } from '../../../platform/config/channels.ts'
import type { ChannelConfig, Config } from '../../../platform/config/config.ts'
import type { changeChannel, listChannels, listSkipped, replaySkipped, testChannel } from '../contract/channels.ts'
import { moveRemedy } from '../moved-chats.ts'
import type { ChannelPersonRow } from '../rows/channel-people.ts'
import type { ChatFailureRow } from '../rows/channel-posts.ts'
import type { ChannelCost } from '../rows/channels.ts'
import type { ChannelsView } from '../view.ts'

/** The dependencies of these operations. */
export interface ChannelsParts {
  readonly config: () => Config
  readonly clock: Clock
  /** Where people in chats talk to teams. */
  readonly channels: ChannelsView
}

type Change = z.output<typeof changeChannel.input>

export function list({ config, channels }: ChannelsParts): z.output<typeof listChannels.output> {
  const views = [...config().channels.values()].map(({ name, platform, team, role, allow, groups }) => {
    const people = channels.people.list(name)
    const written = allow.map((sender) => ({ sender, name: '(config.yaml)', since: 0 }))
    return {
      name,
      platform,
      team,
      role,
      link: channels.stateOf(name),
      allowed: [...written, ...people.filter(({ code }) => code === null).map(personView)],
      pending: people.filter(({ code }) => code !== null).map(personView),
      messages: channels.messages.counts(name),
      ...costsOf(channels.messages.costs(name)),
      posts: channels.posts.counts(name),
      moved: channels.changes
        .moves(name)
        .filter(({ from }) => Object.hasOwn(groups, from))
        .map((move) => ({ ...move, remedy: moveRemedy(name, move) })),
      failures: channels.posts.failures(name, maxFailures).map(failureView),
    }
  })
  return { channels: views }
}

/** The largest number of chats for which failed posts are listed. */
const maxFailures = 20

function failureView({ problem, isOver, ...rest }: ChatFailureRow) {
  return { ...rest, why: problem, isOver: isOver === 1 }
}

function costsOf(costs: readonly ChannelCost[]) {
  const named = costs.map(({ isFirst, costUsd, ...cost }) => [
    isFirst === 1 ? 'firstMessages' : 'laterMessages',
    { ...cost, ...(costUsd !== null && { costUsd }) },
  ])
  return Object.fromEntries(named) as Pick<
    z.output<typeof listChannels.output>['channels'][number],
    'firstMessages' | 'laterMessages'
  >
}

/** Leaves out the pairing code, which the person has to give to the owner. */
function personView({ sender, name, since }: ChannelPersonRow) {
  return { sender, name, since }
}

export function change({ channel, action, who }: Change, parts: ChannelsParts): z.output<typeof changeChannel.output> {
  const { channels, clock } = parts
  const known = named(channel, parts)
  if (action === 'pair') return { channel, ...channels.pair(channel, who), isAllowed: true }
  if (!isPersonId(known.platform, who)) {
    throw new IrisError(
      'invalid_input',
      `"${who}" is not the id of a person on ${known.platform}.`,
      'iris channels list shows the ids.',
    )
  }
  const person = channels.people.find(channel, who)
  const name = person?.name ?? '(not seen yet)'
  if (action === 'allow') {
    const chat = person?.chat ?? `${known.platform}:${who}`
    channels.people.put({ source: channel, sender: who, name, chat, code: null, since: clock.now() })
    return { channel, sender: who, name, isAllowed: true }
  }
  const isAllowed = known.allow.includes(who)
  if (person === undefined && !isAllowed) {
    const what = `Nobody with the id ${who} may talk in ${channel} or has asked to.`
    throw new IrisError('not_found', what, 'iris channels list shows the ids.')
  }
  channels.people.remove(channel, who)
  return { channel, sender: who, name, isAllowed }
}

export async function test(
  { channel }: z.output<typeof testChannel.input>,
  parts: ChannelsParts,
): Promise<z.output<typeof testChannel.output>> {
  const { missing, ...found } = await parts.channels.inspect(named(channel, parts))
  return { channel, ...found, missing: [...missing], link: parts.channels.stateOf(channel) }
}

const maxSkipped = 50

export function skipped(
  { channel }: z.output<typeof listSkipped.input>,
  parts: ChannelsParts,
): z.output<typeof listSkipped.output> {
  const rows = parts.channels.messages.skipped(named(channel, parts).name, maxSkipped)
  const messages = rows.map(({ chat, sender, senderName: name, text, sentAt }) => ({
    chat,
    sender,
    name,
    text: text ?? '',
    sentAt,
  }))
  return { messages }
}

export async function replay(
  { channel }: z.output<typeof replaySkipped.input>,
  parts: ChannelsParts,
): Promise<z.output<typeof replaySkipped.output>> {
  return { channel, ...(await parts.channels.replay(named(channel, parts))) }
}

/** Throws `not_found`. */
function named(channel: string, { config }: ChannelsParts): ChannelConfig {
  const known = config().channels.get(channel)
  if (known !== undefined) return known
  const names = [...config().channels.keys()].join(', ') || 'none'
  throw new IrisError('not_found', `There is no channel "${channel}".`, `There are: ${names}.`)
}
