import { ownerCall } from '../../../app/cli/call.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { linesOf } from './permission-lines.ts'

/**
 * Lists agents' questions about whether a tool may run, oldest first. At a terminal, asks the person to answer them.
 */
export async function permissions({ context, options, json }: Given): Promise<number | undefined> {
  const { all = false, list = false, team } = options as { all?: boolean; list?: boolean; team?: string }
  // Loaded only here, because the prompts take time to load.
  if (context.isInteractive && !all && !list && !json) return (await import('./decide.ts')).decideAll(context, team)
  const found = await ownerCall(context, 'list_permissions', {
    state: all ? 'all' : 'pending',
    ...(team !== undefined && { team }),
  })
  if (json) {
    context.sayJson(found)
    return undefined
  }
  if (found.permissions.length === 0) {
    context.say(all ? 'No agent has asked anything yet.' : 'No permission request is waiting for you.')
    return undefined
  }
  const oldestFirst = found.permissions.toReversed()
  for (const permission of oldestFirst) context.say(`${linesOf(permission, found.now).join('\n')}\n`)
  const waiting = oldestFirst.filter((each) => each.state === 'pending')
  if (waiting.length === 0) return undefined
  const id = shortId(waiting[0]!.permissionId)
  context.say(
    `Answer with "iris allow ${id}" or "iris deny ${id} <why>". To keep the answer, add --scope session, --scope pair or --scope always.`,
  )
  return undefined
}
