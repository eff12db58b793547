/** Why an action on a host failed. The message is a sentence for people. */
export type HostErrorKind =
  /** The command opened no POSIX shell, or one that does not answer. */
  | 'no_shell'
  /** Iris cannot create a directory in `~/.cache` or `/tmp` there. */
  | 'not_writable'
  | 'disk_full'
  /** The program's directory or its executable is missing there. */
  | 'no_directory'
  | 'no_executable'
  /** There is no run directory with that name. */
  | 'unknown_run'
  /** The program, its environment or a name cannot be passed on. */
  | 'bad_input'
  /** The host broke the protocol, so nothing that it sent is used. */
  | 'protocol'
  /** Another Iris has attached to the program, so this one has detached. */
  | 'taken_over'
  /** The link was lost and did not come back in time. */
  | 'link_lost'

export class HostError extends Error {
  readonly kind: HostErrorKind

  constructor(kind: HostErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
