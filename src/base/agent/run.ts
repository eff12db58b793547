import type { Deferred } from '../lib/deferred.ts'
import type { Exit } from '../lib/program-end.ts'
import type { ContentBlock } from './content-block.ts'
import type { Line } from './line.ts'
import type { ClaudeResult } from './run-result.ts'

/** The conversation of a process. */
export interface Conversation {
  readonly sessionId: string
  /** Whether the conversation is already on disk. */
  readonly resumed: boolean
  /** Present if the process was started by an earlier Iris and is working on a message: see `continueRun`. */
  readonly takenUp?: true
}

/** A message for Claude: its text, and the pictures and documents that precede the text. */
export interface Prompt {
  readonly text: string
  readonly blocks?: readonly ContentBlock[]
}

/**
 * How a delivery ended: with its whole answer; interrupted while it waited for background tasks, with the text so far;
 * withdrawn before it began; already known to the conversation; or by the exit of the process.
 */
export type RunEnd =
  | {
      readonly kind: 'result'
      readonly result: ClaudeResult
      /** Commands that are still running in the background. */
      readonly commands: readonly Task[]
    }
  | { readonly kind: 'interrupted'; readonly result: ClaudeResult }
  | { readonly kind: 'withdrawn' }
  /** The conversation already has a message with this uuid, so the CLI began nothing. */
  | { readonly kind: 'known' }
  | { readonly kind: 'exited'; readonly exit: Exit; readonly stderr: string }

/** Receives the lines of one delivery in order. `onSign` reports any sign of life of the process. */
export interface RunListener {
  onLine(line: Line): void
  onSign(): void
  /** A tool may run now. */
  onTool?(): void
  /** The turn has its own result and now waits for the reports of background tasks. */
  onWait?(): void
  /** The process names another session: its output cannot be trusted. */
  onForeign(sessionId: string): void
  /** While the listener is full, a promise that resolves when it accepts lines again; otherwise undefined. */
  drained(): Promise<void> | undefined
}

export interface Run {
  readonly listener: RunListener
  readonly end: Deferred<RunEnd>
}

/** A task that the CLI runs alongside the conversation: a subagent, a workflow, a Monitor or a command. */
export interface Task {
  readonly id: string
  /** As the CLI names it: `local_agent`, `local_workflow`, `local_bash`, … */
  readonly type: string
  /** The tool use that started the task, and the name of its tool; both empty if the CLI does not say. */
  readonly toolUseId: string
  readonly tool: string
  readonly description: string
  /** The command of a `local_bash` task, or its description if the command is unknown; empty for other tasks. */
  readonly command: string
  /** When Iris first saw the task, milliseconds since the epoch. */
  readonly since: number
}
