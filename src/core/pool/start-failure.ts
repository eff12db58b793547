import { IrisError } from '../../base/protocol/error.ts'
import { NoAnswer } from '../../claude/driver/control-channel.ts'
import type { Exit } from '../../platform/machine/child.ts'

/** Claude Code was to be started and did not become ready. */
export class StartFailed extends IrisError {
  /** True: it was to resume a conversation; false: to create one. */
  readonly resuming: boolean
  /** It rejected the session: it cannot use the transcript, or the id is taken. */
  readonly refused: boolean
  /** How its process exited by itself: by a signal, or with its own exit code. Undefined: it did not. */
  readonly death: 'killed' | 'exited' | undefined

  constructor(error: IrisError, { resuming, refused, death }: Pick<StartFailed, 'resuming' | 'refused' | 'death'>) {
    super(error.code, error.message, error.remedy, { cause: error.cause })
    this.resuming = resuming
    this.refused = refused
    this.death = death
  }
}

/** A new conversation could not be created, not even under a second id. */
export class SessionCreationError extends IrisError {
  constructor(team: string, { message, remedy, cause }: StartFailed) {
    super('session_creation_failed', `The conversation with team "${team}" could not be created. ${message}`, remedy, {
      cause,
    })
  }
}

export function failedToStart(team: string, cause: unknown): IrisError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new IrisError(
    'spawn_failed',
    `Claude Code for team "${team}" did not start: ${why.replace(/\.$/, '')}.`,
    'Run claude in the directory of the team to see why.',
    { cause },
  )
}

/** It did not answer within `spawnTimeout` milliseconds, or answered wrongly. */
export function failedToBeReady(team: string, spawnTimeout: number, cause: unknown): IrisError {
  if (!(cause instanceof NoAnswer)) return failedToStart(team, cause)
  return new IrisError(
    'spawn_timeout',
    `Claude Code for team "${team}" was not ready within ${spawnTimeout} ms.`,
    'Check whether the machine is overloaded, or raise settings.spawnTimeout.',
    { cause },
  )
}

/** A shell or a sandbox reports a signal as an exit code above 128. */
export function deathOf({ code, signal }: Exit): 'killed' | 'exited' {
  return signal !== null || (code ?? 0) > 128 ? 'killed' : 'exited'
}
