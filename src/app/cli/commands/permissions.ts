import { ownerCall } from '../call.ts'
import { isInteractive } from '../prompt.ts'
import { say, sayJson } from '../say.ts'
import type { Given } from '../table/spec.ts'
import { linesOf, shortOf } from './permission-lines.ts'

/** Lists the questions of agents whether a tool may run, oldest first; asks a person at a terminal to answer them. */
export async function permissions({ env, options, json }: Given): Promise<number | undefined | void> {
  const { all = false, list = false, team } = options as { all?: boolean; list?: boolean; team?: string }
  if (isInteractive() && !all && !list && !json) return (await import('./decide.ts')).decideAll(env, team)
  const found = await ownerCall(env, 'list_permissions', {
    state: all ? 'all' : 'pending',
    ...(team !== undefined && { team }),
  })
  if (json) return sayJson(found)
  if (found.permissions.length === 0)
    return say(all ? 'No agent has asked anything yet.' : 'No question waits for you.')
  const oldestFirst = found.permissions.toReversed()
  for (const permission of oldestFirst) say(`${linesOf(permission, found.now).join('\n')}\n`)
  const waiting = oldestFirst.filter((each) => each.state === 'pending')
  if (waiting.length === 0) return
  const id = shortOf(waiting[0]!)
  say(`Answer with "iris allow ${id}" or "iris deny ${id} <why>"; --scope session, pair or always makes it last.`)
}
