import type { PermissionAnswer } from '../../claude/driver/control-handler.ts'
import type { PermissionRow } from '../../platform/store/permissions.ts'

/** What was decided before the process could hear of it. */
export function answerIn({ state, input, updatedInput, message }: PermissionRow): PermissionAnswer {
  return state === 'allowed'
    ? { behavior: 'allow', updatedInput: { ...(updatedInput ?? input) } }
    : { behavior: 'deny', message: message ?? '' }
}

export function wasAnswered({ state }: PermissionRow): boolean {
  return state === 'allowed' || state === 'denied'
}
