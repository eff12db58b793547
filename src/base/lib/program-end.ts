export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/**
 * How to end a child: `idle` closes its stdin and lets it finish; `busy` sends SIGTERM, because a child with a closed
 * stdin would answer with broken calls; `now` kills. If the child is still alive after the grace period, the next
 * harder way follows.
 */
export type StopManner = 'idle' | 'busy' | 'now'

/** The connection to the machine of a program is lost. `since`: milliseconds since the epoch. */
export interface CutOff {
  /** The machine, for people. */
  readonly host: string
  readonly since: number
  /** The reason, for people. */
  readonly why: string
}
