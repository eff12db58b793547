/** A request to a team's machine failed. The message says why, and is worded to follow a colon. */
export class MachineError extends Error {
  /** Whether another try may succeed, because something ended the helper while it was working. */
  readonly mayRetry: boolean

  constructor(message: string, { mayRetry = false, cause }: { mayRetry?: boolean; cause?: unknown } = {}) {
    super(message, { cause })
    this.mayRetry = mayRetry
  }
}
