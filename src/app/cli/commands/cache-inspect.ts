import type { Input, Output } from '../../../adapters/client/tool-call.ts'
import { plainLine } from '../../../base/lib/plain-line.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { shownPair } from '../../../base/protocol/pair.ts'
import { call } from '../call.ts'
import { columns } from '../columns.ts'
import type { CommandContext } from '../context.ts'
import { counted } from '../counted.ts'
import { interrupted } from '../exit-code.ts'
import { showPaged } from '../inspect/pager.ts'
import { transcriptLines } from '../inspect/transcript-lines.ts'
import { momentText } from '../moment.ts'
import { type Choice, chooseByTyping } from '../prompt.ts'
import type { Given } from '../table/spec.ts'

type Turns = Output<'session_turns'>

/** Lists the turns of a conversation; at a terminal the person chooses turns and reads them whole. */
export async function cacheInspect({ context, input, json }: Given): Promise<number | undefined | void> {
  const wanted = input as Input<'session_turns'>
  const turns = await call(context, 'session_turns', wanted)
  if (json) return context.sayJson(turns)
  context.say(
    `${shownPair(turns)}  ${turns.sessionId}  ${counted(turns.total, 'turn')}${turns.isArchived ? ', archived' : ''}`,
  )
  if (context.isInteractive && turns.turns.length > 0) return walk(context, turns, wanted)
  if (turns.offset > 0) context.say(`There are older turns: --offset ${Math.max(0, turns.offset - turns.turns.length)}`)
  for (const line of columns(context.width, turns.turns.map(cellsOf))) context.say(line)
}

/** Shows turns until the person leaves the list: by Escape, or by Ctrl-C with the exit code for that. */
async function walk(
  context: CommandContext,
  first: Turns,
  wanted: Input<'session_turns'>,
): Promise<number | undefined> {
  const turnsFrom = (offset: number): Promise<Turns> =>
    call(context, 'session_turns', { sessionId: first.sessionId, ...(wanted.limit && { limit: wanted.limit }), offset })
  let page = first
  for (;;) {
    const lastKey = keysPressed(context)
    const turnId = await chooseByTyping(context, 'Which turn? Type to narrow the list.', choicesOf(page))
    const key = lastKey()
    if (turnId === undefined) return key === ctrlC ? interrupted : undefined
    if (turnId === 'older') page = await turnsFrom(Math.max(0, page.offset - first.turns.length))
    else if (turnId === 'newer') page = await turnsFrom(page.offset + page.turns.length)
    else await showPaged(context, transcriptLines(await call(context, 'turn_transcript', { turnId, full: true })))
  }
}

const ctrlC = '\u0003'

/**
 * Listens to the keys, because prompts return the same for Escape and Ctrl-C. Returns a function that stops listening
 * and returns the last key.
 */
function keysPressed({ stdin }: CommandContext): () => string {
  let last = ''
  const hear = (keys: Buffer | string): void => {
    last = String(keys).slice(-1)
  }
  stdin.on('data', hear)
  return () => {
    stdin.off('data', hear)
    return last
  }
}

/** The turns to choose from, the newest first. */
function choicesOf({ turns, offset, total }: Turns): readonly Choice<string>[] {
  const newer = total - offset - turns.length
  return [
    ...(newer > 0 ? [{ value: 'newer', label: `Newer ones (${newer})` }] : []),
    ...turns.toReversed().map((turn) => ({ value: turn.turnId, label: labelOf(turn) })),
    ...(offset > 0 ? [{ value: 'older', label: `Older ones (${offset})` }] : []),
  ]
}

function cellsOf(turn: Turns['turns'][number]): readonly string[] {
  const { turnId, acceptedAt, status, message } = turn
  return [shortId(turnId), momentText(acceptedAt), status, plainLine(message, 60)]
}

function labelOf(turn: Turns['turns'][number]): string {
  return cellsOf(turn).join('  ')
}
