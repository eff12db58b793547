import type { Observable } from 'rxjs'

/** What to run and where. The environment is complete: nothing is inherited. */
export interface Command {
  readonly executable: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Absent: it sees all that its user does. */
  readonly isolation?: Isolation
  /** Whose conversation it leads: where programs outlive Iris it finds them by that. */
  readonly session?: string
}

/** How something is kept out of a program's sight. */
export interface Isolation {
  /** A command line that shuts in whatever follows it, and becomes that or starts it. */
  readonly by: readonly string[]
  /** It has process ids of its own, and is a grandchild of what is started. */
  readonly ownProcesses: boolean
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** The connection to the machine of a program is lost. `since`: milliseconds since the epoch. */
export interface CutOff {
  /** The machine, for people. */
  readonly host: string
  readonly since: number
  /** For people. */
  readonly why: string
}

/** After so long at the latest a lost connection counts as lost. Until then a program that cannot answer seems to hang. */
export const lossShowsMs = 30_000

export type ChildStatus = 'running' | 'stopping' | 'stopped'

/**
 * How to end a child: `idle` closes its stdin and lets it finish; `busy` asks with SIGTERM, because a closed stdin would
 * make it answer with broken calls; `now` kills. Each goes on to the harder one after its grace.
 */
export type StopManner = 'idle' | 'busy' | 'now'

/** A running program seen as bytes. Knows nothing of Claude. */
export interface Child {
  readonly pid: number
  /** While its machine cannot be reached; it goes on there. */
  readonly cutOff?: CutOff | undefined
  /** Begins with the present state. Absent: it runs on this machine. */
  readonly cutOff$?: Observable<CutOff | undefined>
  /** Settles when all that it had said before this Iris took it up has been read; absent: this Iris has started it. */
  readonly caughtUp?: Promise<void>
  readonly status$: Observable<ChildStatus>
  /** Faults of the pipes, EPIPE among them. Never ends the program. */
  readonly errors$: Observable<Error>
  /** Calls `onChunk` for everything on stdout. What it returns is awaited before more is read. */
  read(onChunk: (chunk: Buffer) => Promise<void> | undefined): void
  /** The last 64 KiB of stderr. */
  stderr(): string
  /**
   * Resolves when the program's side has room for more. `message`: the id of what begins with this text, by which a program that
   * outlives Iris is found again.
   */
  write(text: string, message?: string): Promise<void>
  /** Settles when the program has exited and its stdout is read to the end. Never rejects. */
  readonly exited: Promise<Exit>
  /** Ends the program and everything it started; resolves when all of it is gone. */
  stop(manner: StopManner): Promise<Exit>
}
