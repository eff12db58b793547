import { durationText } from '../../../app/cli/moment.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { visible } from '../../../base/lib/visible.ts'
import { askerName } from '../../../base/protocol/pair.ts'
import type { PermissionView } from '../../../base/protocol/permission-view.ts'

/** All details of a question; `now` in milliseconds since the epoch. */
export function linesOf(permission: PermissionView, now: number): string[] {
  const { team, toolName, chain, directory, shown, risks, rule, suggestions } = permission
  const field = (name: string, text: string): string[] => (text === '' ? [] : [`  ${name.padEnd(9)} ${oneLine(text)}`])
  return [
    `${shortId(permission.permissionId)}  ${oneLine(toolName)} of ${team}: ${standing(permission, now)}`,
    ...field('asked by', chain.map(askerName).join(' → ')),
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
      return deadline > now ? `waits for you, ${durationText(deadline - now)} left` : 'expired'
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

/** Text of agents as one line: it can neither move the cursor nor imitate another line of the list. */
export function oneLine(text: string): string {
  return visible(text).replaceAll('\n', '‹U+000A›')
}
