import type { PermissionAnswer } from '../../base/agent/control-handler.ts'
import type { PermissionRow } from './rows/permissions.ts'

/** The decision on a question, for a process that was not connected when the decision was made. */
export function answerIn({ state, input, updatedInput, message }: PermissionRow): PermissionAnswer {
  return state === 'allowed'
    ? { behavior: 'allow', updatedInput: { ...(updatedInput ?? input) } }
    : { behavior: 'deny', message: message ?? '' }
}

export function wasAnswered({ state }: PermissionRow): boolean {
  return state === 'allowed' || state === 'denied'
}
