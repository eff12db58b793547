import type { Input, Output } from '../../../adapters/client/tool-call.ts'
import { call, ownerCall } from '../../../app/cli/call.ts'
import { columns } from '../../../app/cli/columns.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { statsLines } from './stats-lines.ts'

type Channel = Output<'list_channels'>['channels'][number]
type Cost = NonNullable<Channel['firstMessages']>

/** Figures about conversations; with --channels, what messages in chats cost. */
export async function stats({ context, input, options, json }: Given): Promise<void> {
  if (options['channels'] !== true) {
    const output = await call(context, 'session_stats', input as Input<'session_stats'>)
    if (json) return context.sayJson(output)
    for (const line of statsLines(output, context.width)) context.say(line)
    return
  }
  const { channels } = await ownerCall(context, 'list_channels', {})
  const costs = channels.map(({ name, firstMessages, laterMessages }) => ({ name, firstMessages, laterMessages }))
  if (json) return context.sayJson({ channels: costs })
  for (const line of channelCostLines(costs, context.width)) context.say(line)
}

/**
 * A table with two rows for each channel: the average first message of a conversation, and the average later message.
 */
export function channelCostLines(
  channels: readonly Pick<Channel, 'name' | 'firstMessages' | 'laterMessages'>[],
  width: number,
): readonly string[] {
  const rows = channels.flatMap(({ name, firstMessages, laterMessages }) => [
    ...rowOf(name, 'first', firstMessages),
    ...rowOf(name, 'later', laterMessages),
  ])
  if (rows.length === 0) return ['No message from a channel has been answered yet.']
  const head = ['channel', 'message', 'answered', 'read from the cache', 'written to it', 'new', 'out', 'cost']
  return [...columns(width, [head, ...rows]), 'Averages, in tokens. "first" begins a conversation.']
}

function rowOf(name: string, which: string, cost: Cost | undefined): string[][] {
  if (cost === undefined) return []
  const { messages, cacheRead, cacheWrite, input, output, costUsd } = cost
  const tokens = [cacheRead, cacheWrite, input, output].map((count) => String(Math.round(count)))
  return [[name, which, String(messages), ...tokens, costUsd === undefined ? 'unknown' : `$${costUsd.toFixed(4)}`]]
}
