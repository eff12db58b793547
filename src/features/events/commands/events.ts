import type { Input, Output } from '../../../adapters/client/tool-call.ts'
import { callToSeeAll, readAgain } from '../../../app/cli/call.ts'
import type { CommandContext } from '../../../app/cli/context.ts'
import { interrupted } from '../../../app/cli/exit-code.ts'
import { momentText } from '../../../app/cli/moment.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { plainLine } from '../../../base/lib/plain-line.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { shownPair } from '../../../base/protocol/pair.ts'

type Wanted = Input<'list_events'>
type Page = Output<'list_events'>
type Event = Page['events'][number]

/** How long a call waits for the next event, milliseconds. */
const waitMs = 30_000

/**
 * Prints events, one per line; with --json, one page. With --follow, continues until Ctrl-C, even when the daemon
 * restarts.
 */
export async function events({ context, input, options, json }: Given): Promise<number | undefined> {
  const { after: former, cursor: first = former, ...wanted }: Wanted = input
  if (options['follow'] === true) return follow(context, wanted, first, json)
  const read = (cursor: string | undefined): Promise<Page> =>
    readAgain(() => callToSeeAll(context, 'list_events', { ...wanted, ...(cursor !== undefined && { cursor }) })).catch(
      inWords,
    )
  let page = await read(first)
  const isEmpty = page.events.length === 0
  if (json) {
    context.sayJson(page)
    return undefined
  }
  for (const event of page.events) context.say(eventLine(event))
  while (page.isMore && wanted.limit === undefined) {
    page = await read(page.nextCursor)
    for (const event of page.events) context.say(eventLine(event))
  }
  context.note(`${isEmpty ? 'No events. ' : ''}For later ones, run: iris events --cursor ${page.nextCursor}`)
  return undefined
}

/** Throws the error of a call again, with the command's option in the remedy instead of the call's argument. */
function inWords(error: unknown): never {
  if (!(error instanceof IrisError) || error.firstCursor === undefined) throw error
  const { code, message, firstCursor } = error
  const remedy = `Some events may be missing. Continue from the first one that is kept: iris events --cursor ${firstCursor}`
  throw new IrisError(code, message, remedy, { firstCursor, cause: error })
}

async function follow(
  context: CommandContext,
  wanted: Wanted,
  first: string | undefined,
  json: boolean,
): Promise<number> {
  const { overRestarts } = await import('../../../app/cli/ask/over-restarts.ts')
  const left = new AbortController()
  context.onceSignal('SIGINT', () => left.abort())
  const { signal } = left
  let cursor = first ?? 'now'
  while (!signal.aborted) {
    try {
      // The place of "now" is known once the first call has returned.
      const timeout = cursor === 'now' ? 0 : waitMs
      const page = await overRestarts(signal, () =>
        callToSeeAll(context, 'list_events', { ...wanted, cursor, timeout }, { signal }),
      )
      cursor = page.nextCursor
      for (const event of page.events) {
        if (json) context.sayJson(event)
        else context.say(eventLine(event))
      }
    } catch (error) {
      if (signal.aborted) break
      if (!(error instanceof IrisError) || error.firstCursor === undefined) throw error
      context.note(error.message)
      cursor = error.firstCursor
    }
  }
  return interrupted
}

/** `14:03:59  turn-settled  3f2a9c01  frontend→backend  completed` */
function eventLine(event: Event): string {
  const { at, type, turnId, outcome, reason, permission } = event
  const about = [outcome, reason, permission?.toolName, permission?.state].filter((word) => word !== undefined)
  const columns = [momentText(at), type, shortId(turnId), shownPair(event), about.join(' ')]
  return columns
    .map((column) => plainLine(column))
    .join('  ')
    .trimEnd()
}
