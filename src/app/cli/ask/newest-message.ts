import type { Output } from '../../../adapters/client/tool-call.ts'
import { plainLine } from '../../../base/lib/plain-line.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { external, shownPair } from '../../../base/protocol/pair.ts'
import { call } from '../call.ts'
import type { CommandContext } from '../context.ts'
import { processTag } from '../inside-agent.ts'
import { teamHere } from './speaker.ts'

type Listed = Output<'list_turns'>['turns'][number]

/** The most pages to look through; a page has 200 messages that started a tree. */
const maxPages = 5
const failed: readonly Listed['status'][] = ['failed', 'timed_out', 'in_doubt']

/**
 * The message that a command without an id refers to: the newest one that a person or a program sent from this
 * directory, or the newest of these that failed. Throws `not_found`, and `invalid_input` where an id is required:
 * without a terminal and inside an agent.
 */
export async function newestMessage(context: CommandContext, which: 'any' | 'failed' = 'any'): Promise<Listed> {
  if (!context.isInteractive || context.env[processTag]) {
    const remedy = 'Give its id, or the first characters of it. "iris search <words>" finds a message.'
    throw new IrisError('invalid_input', 'No message was named.', remedy)
  }
  const here = await teamHere(context)
  // In the directory of a team, messages to that team itself come from the person.
  const isFromHere = ({ from, to }: Listed): boolean =>
    here === undefined ? from === external : from === here || (from === external && to === here)
  const isMeant = (turn: Listed): boolean => isFromHere(turn) && (which === 'any' || failed.includes(turn.status))
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const listed = await call(context, 'list_turns', {
      root: true,
      limit: 200,
      ...(cursor !== undefined && { cursor }),
    })
    const found = listed.turns.find(isMeant)
    if (found !== undefined) return found
    cursor = listed.nextCursor
    if (cursor === undefined) break
  }
  const what = which === 'any' ? 'was sent from this directory yet' : 'sent from this directory has failed'
  throw new IrisError('not_found', `No message ${what}.`, 'Give the id of a message; "iris search <words>" finds it.')
}

/** One line of a message: its id, its pair and its beginning. */
export function messageText(turn: Listed): string {
  return `${shortId(turn.turnId)}  ${shownPair(turn)}  ${plainLine(turn.message, 60)}`
}

/** The input of a command. If no id was typed, adds the newest message's id and prints a note about it. */
export async function withNewest<Typed extends { readonly turnId?: unknown }>(
  context: CommandContext,
  typed: Typed,
): Promise<Typed & { readonly turnId: string }> {
  if (typeof typed.turnId === 'string') return { ...typed, turnId: typed.turnId }
  const newest = await newestMessage(context)
  context.aside(messageText(newest))
  return { ...typed, turnId: newest.turnId }
}
