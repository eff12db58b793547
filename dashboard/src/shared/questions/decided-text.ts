import { visible } from '../../../../src/base/lib/visible.ts'
import type { PermissionView } from '../../../../src/features/permission/contract/permissions.ts'
import { texts } from './texts.ts'

/** `Bash of backend was allowed by owner.` */
export function decidedText({ toolName, team, state, decidedBy }: PermissionView): string {
  const tool = visible(toolName)
  const isByOne = decidedBy !== null && (state === 'allowed' || state === 'denied')
  return isByOne ? texts.decidedBy[state](tool, team, decidedBy) : texts.decided[state](tool, team)
}
