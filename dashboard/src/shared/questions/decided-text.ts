import { visible } from '../../../../src/base/lib/visible.ts'
import type { PermissionView } from '../../../../src/base/protocol/operations/permissions.ts'

const words: Record<PermissionView['state'], string> = {
  pending: 'waits',
  allowed: 'was allowed',
  denied: 'was denied',
  timed_out: 'was denied: nobody answered in time',
  ended: 'is not asked any more',
}

/** `Bash of backend was allowed by owner.` */
export function decidedText({ toolName, team, state, decidedBy }: PermissionView): string {
  const by = decidedBy !== null && (state === 'allowed' || state === 'denied') ? ` by ${decidedBy}` : ''
  return `${visible(toolName)} of ${team} ${words[state]}${by}.`
}
