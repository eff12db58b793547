import type { Observable } from 'rxjs'
import type { Child, Command, Exit } from '../machine/child.ts'

/**
 * A way to a host: ssh, `docker exec -i web sh`, `sh`. Each call starts one more POSIX shell there, with a login's
 * environment, that reads commands from its stdin.
 */
export interface HostShell {
  /** For people to read: "inanna". */
  readonly name: string
  /** Rejects when no connection can be had, with the reason and within a bounded time. */
  open(): Promise<HostChannel>
}

/**
 * A shell on a host. `stop('now')` drops the connection; the shell there then reads the end of its stdin. Pausing `read`
 * must stop the sender in the end: no unbounded buffer. `stderr()` is for messages to people.
 */
export interface HostChannel extends Child {
  /** Calls `onChunk` for everything on stderr, from the start. Call it before anything is awaited. */
  readErrors(onChunk: (chunk: Buffer) => void): void
}

/** Programs on one host. They outlive the link, and Iris: the supervisor there keeps what they say. */
export interface HostPrograms {
  /**
   * Starts a program in a session of its own there. Its environment goes over stdin. Tries again over lost links until the
   * host says that it runs. Rejects with HostError, and with what `HostShell.open` rejects with before anything was sent.
   */
  start(command: Command, options: RunOptions): Promise<RemoteChild>
  /** What has a run directory on the host, whoever started it. */
  runs(): Promise<readonly HostRun[]>
  /**
   * Takes over a run that exists, from a byte of its output; by default from the first that Iris has not acknowledged.
   * Any other Iris that is attached to it loses it. Rejects with HostError.
   */
  attach(run: string, from?: number): Promise<RemoteChild>
  /** Ends all runs with this tag, or one that begins with it and a dot: SIGTERM, SIGKILL after `graceMs`. Resolves with their number. */
  sweep(tag: string, graceMs: number): Promise<number>
}

export interface RunOptions {
  /** Names the run directory; unique for ever: letters, digits, dots and hyphens. */
  readonly run: string
  /** On it and on all that it starts, as `IRIS_PROCESS` in the command's environment. */
  readonly tag: string
  /** Whose program it is, for `runs`: a session's id, without spaces. */
  readonly session: string
  /** How long the program lives without a link. Then the supervisor ends it with SIGTERM. */
  readonly graceMs: number
}

/** A run directory, as the host describes it: data that an agent there may have made up. */
export interface HostRun {
  readonly run: string
  readonly tag: string
  readonly session: string
  /** Of the program there; 0: it never started. */
  readonly pid: number
  readonly alive: boolean
  /** Undefined: it runs, or it vanished without an exit (a reboot). */
  readonly exit: Exit | undefined
  /** So many bytes are in its output, counted from its start. */
  readonly bytes: number
  /** Of these Iris has read so many. */
  readonly acknowledged: number
  readonly message?: GivenMessage
}

/** The last message that Iris was about to give to a program, as the host has noted it before. */
export interface GivenMessage {
  readonly id: string
  /** Where the program's output stood. */
  readonly offset: number
  /** The number of its frame. */
  readonly frame: number
}

/** `since`: milliseconds of the injected clock's `now`. */
export type Link =
  | { readonly kind: 'connecting'; readonly since: number }
  | { readonly kind: 'connected'; readonly since: number }
  /** The program goes on there. `why` is for people; `attempts` were made since to get the link back. */
  | { readonly kind: 'lost'; readonly since: number; readonly why: string; readonly attempts: number }
  /** The program has ended, or Iris has let go of it. */
  | { readonly kind: 'closed'; readonly since: number }

/**
 * A program on a host, seen as a `Child`. Its process id means something on that host alone. `write` resolves when the
 * program's stdin has taken the text. While the link is lost nothing settles: the program goes on.
 */
export interface RemoteChild extends Child {
  readonly run: string
  readonly link: Link
  /** Begins with the present state; completes when the program has ended. */
  readonly link$: Observable<Link>
  /** The id of the last message that it had been given when Iris attached; undefined: none, or the frame had not reached it. */
  readonly message: string | undefined
  /** Settles when all that it had said before Iris attached has been read. */
  readonly caughtUp: Promise<void>
  /** Closes the link and leaves the program to its grace there. After it, `exited` never settles. */
  detach(): Promise<void>
}
