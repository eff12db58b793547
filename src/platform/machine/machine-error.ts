/** What was asked of a team's machine was not done; the message says why and reads on behind a colon. */
export class MachineError extends Error {
  /** Another try may succeed: the helper was ended by somebody while it worked. */
  readonly mayRetry: boolean

  constructor(message: string, { mayRetry = false, cause }: { mayRetry?: boolean; cause?: unknown } = {}) {
    super(message, { cause })
    this.mayRetry = mayRetry
  }
}
