import type { Deferred } from '../../base/lib/deferred.ts'
import type { Exit } from '../../platform/machine/child.ts'
import type { Task } from './background-tasks.ts'
import type { Line } from './line.ts'
import type { ClaudeResult } from './result.ts'

/** What a process is started or taken up for. */
export interface Conversation {
  readonly sessionId: string
  /** It is on disk already. */
  readonly resumed: boolean
  /** A former Iris has started the process, which is at work on a message: see `goOn`. */
  readonly takenUp?: true
}

/**
 * How working on a delivery ended: with its whole answer; interrupted while that waited for the background, with what had
 * been said; taken back before it began; or with the process.
 */
export type RunEnd =
  | {
      readonly kind: 'result'
      readonly result: ClaudeResult
      /** Still running in the background. */
      readonly commands: readonly Task[]
    }
  | { readonly kind: 'interrupted'; readonly result: ClaudeResult }
  | { readonly kind: 'withdrawn' }
  /** Its conversation holds a message of this uuid, so that nothing was begun. */
  | { readonly kind: 'known' }
  | { readonly kind: 'exited'; readonly exit: Exit; readonly stderr: string }

/** Hears the lines of one delivery, in order; `onSign` any sign of life of the process, whosever it is. */
export interface RunListener {
  onLine(line: Line): void
  onSign(): void
  /** Its own result has come, and what runs in the background has a report to make. */
  onWait?(): void
  /** It speaks of another session: nothing it says can be believed. */
  onForeign(sessionId: string): void
  /** While it takes no more lines: settles when it does again. */
  drained(): Promise<void> | undefined
}

export interface Run {
  readonly listener: RunListener
  readonly end: Deferred<RunEnd>
}
