import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import type { PermissionView } from '../../base/protocol/permission-view.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Audit } from '../audit/rows/audit.ts'
import type { Asking, Policy } from './policy.ts'
import type { RootOf } from './question-view.ts'
import type { PermissionGrants } from './rows/permission-grants.ts'
import type { PermissionRows } from './rows/permissions.ts'

/** Who wants to use a tool. */
export interface Asker {
  readonly session: Asking
  /** The id of the process start that asks. */
  readonly processStart: string
  /** The turn that runs, if one does. */
  readonly turn: { readonly id: string; readonly cancelled: AbortSignal } | undefined
  /** From the first asker to the team. */
  readonly chain: readonly string[]
}

/** The first answer counts; an answer that comes after the question has ended has no effect. */
export type AnswerStatus = 'answered' | 'already_answered' | 'ended'

export interface Answered {
  readonly status: AnswerStatus
  readonly permission: PermissionView
  /**
   * Settles when a lasting answer is stored (for `always`, in config.yaml). Rejects if it cannot be stored: the answer
   * then applied only once.
   */
  readonly remembered?: Promise<void>
}

/** A question that waits for an answer: from a person (`ask`), or through a webhook (`forward`). */
export interface Asked {
  readonly permission: PermissionView
  readonly mode: 'ask' | 'forward'
}

export interface QuestionsParts {
  readonly rows: PermissionRows
  readonly rootOf: RootOf
  readonly grants: PermissionGrants
  readonly policy: Policy
  readonly audit: Audit
  readonly config: () => Config
  readonly clock: Clock
  readonly log: Log
  readonly newId: () => string
  readonly publish: (event: IrisEvent) => void
  /**
   * Called when a lasting answer was given: the processes it concerns must get the rule before the asking process gets
   * the answer.
   */
  readonly onGrant: () => void
}
