import type { Environment } from '../../config/home.ts'
import { visible } from '../../lib/visible.ts'
import type { PermissionView } from '../../protocol/operations/permissions.ts'
import { ownerCall } from '../owner-call.ts'
import { durationText, say } from '../say.ts'

export interface PermissionsOptions {
  /** Also those that are decided. */
  readonly all?: boolean
  readonly json?: boolean
  readonly team?: string
}

/** So much of an id is shown, and enough to name it by. */
const shortId = 8

/** The questions of agents whether a tool may run, the oldest first. */
export async function permissions(env: Environment, options: PermissionsOptions): Promise<void> {
  const { all = false, json = false, team } = options
  const state = all ? 'all' : 'pending'
  const found = await ownerCall(env, 'list_permissions', { state, ...(team !== undefined && { team }) })
  if (json) return say(JSON.stringify(found))
  if (found.permissions.length === 0)
    return say(all ? 'No agent has asked anything yet.' : 'No question waits for you.')
  const oldestFirst = found.permissions.toReversed()
  for (const permission of oldestFirst) say(`${linesOf(permission, found.now).join('\n')}\n`)
  const waiting = oldestFirst.filter((each) => each.state === 'pending')
  if (waiting.length === 0) return
  const id = shortOf(waiting[0]!)
  say(`Answer with "iris allow ${id}" or "iris deny ${id} <why>"; --scope session, pair or always makes it last.`)
}

export function shortOf({ permissionId }: PermissionView): string {
  return permissionId.slice(0, shortId)
}

function linesOf(permission: PermissionView, now: number): string[] {
  const { team, toolName, chain, directory, shown, risks, rule, suggestions } = permission
  const field = (name: string, text: string): string[] => (text === '' ? [] : [`  ${name.padEnd(9)} ${oneLine(text)}`])
  return [
    `${shortOf(permission)}  ${oneLine(toolName)} of ${team}: ${standing(permission, now)}`,
    ...field('asked by', chain.join(' → ')),
    ...field('runs in', directory),
    ...shown.split('\n').map((line) => `  > ${line}`),
    ...field('look at', risks.join('; ')),
    ...field('rule', rule ?? ''),
    ...field('offered', suggestions.join(', ')),
  ]
}

function standing({ state, deadline, decidedBy, scope, message }: PermissionView, now: number): string {
  switch (state) {
    case 'pending':
      return deadline > now ? `waits for you, ${durationText(deadline - now)} left` : 'its time is over'
    case 'allowed':
      return `allowed by ${decidedBy}${scope === 'once' ? '' : ` (${scope})`}`
    case 'denied':
      return `denied by ${decidedBy}. ${oneLine(message ?? '')}`
    case 'timed_out':
      return 'nobody answered in time'
    case 'ended':
      return `ended without an answer. ${oneLine(message ?? '')}`
  }
}

/** What agents write can neither move the cursor nor pass for a line of this list. */
function oneLine(text: string): string {
  return visible(text).replaceAll('\n', '‹U+000A›')
}
