import type { Observable } from 'rxjs'
import type { Exit } from '../../base/lib/program-end.ts'
import type { Child, Command } from '../machine/child.ts'

/**
 * A way to reach a host: ssh, `docker exec -i web sh`, `sh`. Each `open` starts another POSIX shell there. The shell
 * has a login's environment and reads commands from its stdin.
 */
export interface HostShell {
  /** Name for people, such as "inanna". */
  readonly name: string
  /** If there is no connection, rejects with the reason within a limited time. */
  open(): Promise<HostChannel>
}

/**
 * A shell on a host. `stop('now')` drops the connection; the shell there then reads the end of its stdin. A paused
 * `read` must eventually stop the sender, so that no buffer grows without limit. `stderr()` is for messages to people.
 */
export interface HostChannel extends Child {
  /** Passes all of stderr to `onChunk`, from the start. Call it before anything is awaited. */
  readErrors(onChunk: (chunk: Buffer) => void): void
}

/** Programs on one host. They outlive the link and Iris itself, because a supervisor there keeps their output. */
export interface HostPrograms {
  /**
   * Starts a program in a separate session on the host and sends its environment over stdin. Retries after lost links
   * until the host reports that the program is running. Rejects with HostError and, before anything was sent, with the
   * errors of `HostShell.open`.
   */
  start(command: Command, options: RunOptions): Promise<RemoteChild>
  /** All runs that have a directory on the host, whichever daemon started them. */
  runs(): Promise<readonly HostRun[]>
  /**
   * Takes over an existing run from a byte of its output, by default the first that Iris has not acknowledged. If
   * another Iris is attached to the run, that Iris loses it. Rejects with HostError.
   */
  attach(run: string, from?: number): Promise<RemoteChild>
  /**
   * Ends all runs whose tag is `tag`, or begins with it and a dot: SIGTERM, then SIGKILL after `graceMs`. Resolves with
   * the number of these runs.
   */
  sweep(tag: string, graceMs: number): Promise<number>
}

export interface RunOptions {
  /** The name of the run directory, which is never used again. Letters, digits, dots and hyphens. */
  readonly run: string
  /** The process tag of the program and of everything it starts; also `IRIS_PROCESS` in the command's environment. */
  readonly tag: string
  /** The session of the program, for `runs`: an id without spaces. */
  readonly session: string
  /** How long the program lives without a link. Then the supervisor ends it with SIGTERM. */
  readonly graceMs: number
}

/** The host's description of a run directory. An agent on the host may have forged it. */
export interface HostRun {
  readonly run: string
  readonly tag: string
  readonly session: string
  /** Process id of the program there; 0 if it never started. */
  readonly pid: number
  readonly alive: boolean
  /** Undefined if the program is still running, or if it vanished without an exit code, for example in a reboot. */
  readonly exit: Exit | undefined
  /** Length of its output so far, in bytes. */
  readonly bytes: number
  /**
   * How many of these bytes Iris has acknowledged; output since the latest message stays unacknowledged, at most its
   * last 64 MiB.
   */
  readonly acknowledged: number
  readonly message?: GivenMessage
}

/**
 * The last message that Iris was about to give to a program; the host records it before the message's frame arrives.
 */
export interface GivenMessage {
  readonly id: string
  /** The length of the program's output at that time. */
  readonly offset: number
  /** Number of the message's frame. */
  readonly frame: number
}

/** `since`: milliseconds of the injected clock's `now`. */
export type Link =
  | { readonly kind: 'connecting'; readonly since: number }
  | { readonly kind: 'connected'; readonly since: number }
  /**
   * The link is lost, but the program continues there. `why` is for people; `attempts` counts the attempts to
   * reconnect.
   */
  | { readonly kind: 'lost'; readonly since: number; readonly why: string; readonly attempts: number }
  /** The program has ended, or Iris has detached from it. */
  | { readonly kind: 'closed'; readonly since: number }

/**
 * A program on a host, as a `Child`. Its process id is valid on that host alone. `write` resolves when the program's
 * stdin has taken the text. While the link is lost no promise settles, because the program continues.
 */
export interface RemoteChild extends Child {
  readonly run: string
  readonly link: Link
  /** Emits the current state first; completes when the program has ended or Iris has detached from it. */
  readonly link$: Observable<Link>
  /**
   * The id of the last message that the program had been sent when Iris attached; undefined if there was none, or if it
   * had not arrived.
   */
  readonly message: string | undefined
  /** Resolves when all output from before Iris attached has been read. */
  readonly caughtUp: Promise<void>
  /** Closes the link; the program continues for its grace period. Afterwards, `exited` never settles. */
  detach(): Promise<void>
}
