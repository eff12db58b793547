export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/**
 * How to end a child: `idle` closes its stdin and lets it finish; `busy` sends SIGTERM, because with a closed stdin it
 * would answer with broken calls; `now` kills. When its grace period has passed, each is followed by the next harder
 * one.
 */
export type StopManner = 'idle' | 'busy' | 'now'

/** The connection to the machine of a program is lost. `since`: milliseconds since the epoch. */
export interface CutOff {
  /** The machine, for people. */
  readonly host: string
  readonly since: number
  /** For people. */
  readonly why: string
}
