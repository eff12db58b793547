import type { ReactNode } from 'react'
import type { Reason } from '../../../../src/base/protocol/turn.ts'
import { isInDetails, texts } from './texts.ts'

export type FailedStatus = keyof typeof texts.statuses

interface FailureProps {
  readonly status: FailedStatus
  readonly reason: Reason | undefined
  readonly detail: string | undefined
  /** What a person can do about it here: buttons. */
  readonly children?: ReactNode
}

/** Why there is no answer, in three parts: what happened, what to do, and the details, folded unless they say what to do. */
export function Failure({ status, reason, detail, children }: FailureProps) {
  const [what, todo] = reason === undefined ? texts.statuses[status] : texts.reasons[reason]
  // A message that somebody stopped is not an error.
  const tone = status === 'cancelled' ? 'text-muted' : 'text-bad'
  return (
    <div className="mt-1 flex flex-col gap-1">
      <p className={tone}>{what}</p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 empty:hidden">
        {todo !== '' && <span>{todo}</span>}
        {children}
      </div>
      {detail !== undefined && (
        <details open={isInDetails(todo)}>
          <summary className="text-muted cursor-pointer text-xs">{texts.details}</summary>
          <p dir="auto" className="max-w-[72ch] text-xs wrap-anywhere whitespace-pre-wrap">
            {detail}
          </p>
        </details>
      )}
    </div>
  )
}

export function isFailedStatus(status: string): status is FailedStatus {
  return status in texts.statuses
}
