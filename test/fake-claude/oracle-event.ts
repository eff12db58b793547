/** What a fake notes of its life, in the order it happened. */
export type OracleEvent =
  /** A process took a session up; `aliveWriters`: processes that had it and live. */
  | {
      readonly event: 'start' | 'resume'
      readonly argv?: readonly string[]
      readonly environmentNames?: readonly string[]
      readonly aliveWriters?: readonly number[]
    }
  /** A process that ended before it took its session up. */
  | { readonly event: 'refused'; readonly why: string }
  /** `ran` is false for a uuid that was known. */
  | { readonly event: 'message'; readonly uuid: string; readonly text: string; readonly ran: boolean }
  /** A tool was let run. */
  | { readonly event: 'tool'; readonly uuid: string; readonly tool: string; readonly toolUseId: string }
  | { readonly event: 'effect'; readonly uuid: string; readonly path: string; readonly line: string }
  | { readonly event: 'answer'; readonly uuid: string; readonly text: string; readonly isError: boolean }
  | { readonly event: 'exit'; readonly code: number }

/** A line of the oracle's file: `at` in milliseconds since the epoch, the order is the file's. */
export type OracleEntry = OracleEvent & { readonly at: number; readonly pid: number; readonly session: string }
