import type { Input, Output } from '../../../adapters/client/tool-call.ts'
import { shortOf } from '../../../app/cli/ask/show-answer.ts'
import { call, readAgain } from '../../../app/cli/call.ts'
import { interrupted } from '../../../app/cli/exit-code.ts'
import { momentText } from '../../../app/cli/moment.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { plainLine } from '../../../base/lib/plain-line.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { shownPair } from '../../../base/protocol/pair.ts'

type Page = Output<'list_events'>

/** How long a call waits for the next event, milliseconds. */
const waitMs = 30_000

/** Prints events, a line each. With --follow it goes on until Ctrl-C, also over restarts of the daemon. */
export async function events({ context, input, options, json }: Given): Promise<number | undefined> {
  const isFollowing = options['follow'] === true
  const wanted: Input<'list_events'> = input
  const left = new AbortController()
  if (isFollowing) context.onceSignal('SIGINT', () => left.abort())
  let after = wanted.after ?? (isFollowing ? 'now' : undefined)
  const next = (): Promise<Page> => {
    const place = after !== undefined && { after }
    const asked = { ...wanted, ...place, ...(isFollowing && after !== 'now' && { timeout: waitMs }) }
    return readAgain(() => call(context, 'list_events', asked, isFollowing ? { signal: left.signal } : {}))
  }
  while (!left.signal.aborted) {
    try {
      const page = await next()
      after = page.nextCursor
      for (const event of page.events) {
        if (json) context.sayJson(event)
        else context.say(eventLine(event))
      }
      if (!isFollowing && !page.isMore) {
        if (!json) context.note(`The next time: --after ${after}`)
        return undefined
      }
    } catch (error) {
      if (left.signal.aborted) break
      if (!isFollowing || !(error instanceof IrisError) || error.firstCursor === undefined) throw error
      context.note(error.message)
      after = error.firstCursor
    }
  }
  return interrupted
}

/** `14:03:59  turn-settled  3f2a9c01  frontend → backend  completed` */
function eventLine(event: Page['events'][number]): string {
  const { at, type, turnId, outcome, reason, permission } = event
  const about = [outcome, reason, permission?.toolName, permission?.state].filter((word) => word !== undefined)
  return plainLine(`${momentText(at)}  ${type}  ${shortOf(turnId)}  ${shownPair(event)}  ${about.join(' ')}`.trimEnd())
}
