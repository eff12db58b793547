import type { Observable } from 'rxjs'
import type { CutOff, Exit, StopManner } from '../../base/lib/program-end.ts'

/** What to run and where. The environment is complete: nothing is inherited. */
export interface Command {
  readonly executable: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** If absent, the program sees everything that its user sees. */
  readonly isolation?: Isolation
  /** The session that the program serves. On machines where programs outlive Iris, Iris finds them by their session. */
  readonly session?: string
}

/** How to start a program so that some files are hidden from it. */
export interface Isolation {
  /** The beginning of a command line: it isolates the program that follows, and becomes or starts that program. */
  readonly by: readonly string[]
  /** Whether the program has its own process id namespace, and is a grandchild of the started process. */
  readonly ownProcesses: boolean
}

/**
 * A lost connection is noticed after this time at the latest. Until then, a program that cannot be reached seems to
 * hang.
 */
export const lossShowsMs = 30_000

export type ChildStatus = 'running' | 'stopping' | 'stopped'

/** A running program as a byte stream, with no knowledge of Claude. */
export interface Child {
  readonly pid: number
  /** Set while its machine is unreachable; the program is still running there. */
  readonly cutOff?: CutOff | undefined
  /** Emits the current state first, then each change. Absent if the program runs on this machine. */
  readonly cutOff$?: Observable<CutOff | undefined>
  /**
   * Settles when the output from before this Iris took over the program has been read. Absent if this Iris started the
   * program.
   */
  readonly caughtUp?: Promise<void>
  readonly status$: Observable<ChildStatus>
  /** Errors of the pipes, including EPIPE. They do not end the program. */
  readonly errors$: Observable<Error>
  /** Calls `onChunk` for each chunk of stdout, and awaits the returned promise before it reads more. */
  read(onChunk: (chunk: Buffer) => Promise<void> | undefined): void
  /** The last 64 KiB of stderr. */
  stderr(): string
  /**
   * Resolves when the program's side has taken the text. `message`: the id of the message that begins with this text;
   * by this id, a later Iris finds a program that has outlived this Iris.
   */
  write(text: string, message?: string): Promise<void>
  /** Settles when the program has exited and its stdout is read to the end. Never rejects. */
  readonly exited: Promise<Exit>
  /** Ends the program and everything it started; resolves when all of it is gone. */
  stop(manner: StopManner): Promise<Exit>
}
