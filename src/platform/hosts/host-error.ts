/** Why something on a host was not done; the message says it in a sentence for people. */
export type HostErrorKind =
  /** What was opened is no POSIX shell, or does not answer. */
  | 'no_shell'
  /** Neither `~/.cache` nor `/tmp` there takes a directory of Iris's. */
  | 'not_writable'
  | 'disk_full'
  /** The program's directory or its executable is missing there. */
  | 'no_directory'
  | 'no_executable'
  /** There is no run directory of that name. */
  | 'unknown_run'
  /** The program, its environment or a name cannot be handed over. */
  | 'bad_input'
  /** The host breaks the protocol: nothing it says is used. */
  | 'protocol'
  /** Another Iris has attached to the program; this one has let go of it. */
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
