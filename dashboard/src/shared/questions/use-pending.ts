import type { QueryClient } from '@tanstack/react-query'
import type { PermissionView } from '../../../../src/base/protocol/permission-view.ts'
import type { Output } from '../api/operations.ts'
import { useOperation } from '../api/use-operation.ts'

const pending = { state: 'pending', limit: 1000 } as const

/** The questions that wait for a person, the newest first. */
export function usePending() {
  return useOperation('list_permissions', pending)
}

/** The question for which a turn waits. */
export function useQuestionOf(turnId: string): PermissionView | undefined {
  return usePending().data?.permissions.find((permission) => permission.turnId === turnId)
}

interface QuestionEvent {
  readonly permission: PermissionView
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Applies an event at once, without asking Iris again: a question has come, or is over. */
export function takeEvent(queries: QueryClient, { permission, at }: QuestionEvent): void {
  queries.setQueryData<Output<'list_permissions'>>(['list_permissions', pending], (before) => {
    if (before === undefined) return before
    const others = before.permissions.filter(({ permissionId }) => permissionId !== permission.permissionId)
    return { now: at, permissions: permission.state === 'pending' ? [permission, ...others] : others }
  })
}
