import { ownerCall } from '../../../app/cli/call.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { linesOf, shortOf } from './permission-lines.ts'

/** Lists the questions of agents whether a tool may run, oldest first; asks a person at a terminal to answer them. */
export async function permissions({ context, options, json }: Given): Promise<number | undefined | void> {
  const { all = false, list = false, team } = options as { all?: boolean; list?: boolean; team?: string }
  if (context.isInteractive && !all && !list && !json) return (await import('./decide.ts')).decideAll(context, team)
  const found = await ownerCall(context, 'list_permissions', {
    state: all ? 'all' : 'pending',
    ...(team !== undefined && { team }),
  })
  if (json) return context.sayJson(found)
  if (found.permissions.length === 0)
    return context.say(all ? 'No agent has asked anything yet.' : 'No question waits for you.')
  const oldestFirst = found.permissions.toReversed()
  for (const permission of oldestFirst) context.say(`${linesOf(permission, found.now).join('\n')}\n`)
  const waiting = oldestFirst.filter((each) => each.state === 'pending')
  if (waiting.length === 0) return
  const id = shortOf(waiting[0]!)
  context.say(
    `Answer with "iris allow ${id}" or "iris deny ${id} <why>"; --scope session, pair or always makes it last.`,
  )
}
