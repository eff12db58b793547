import type { Exit } from '../../base/lib/program-end.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { NoAnswer } from '../../claude/driver/control-channel.ts'

/** Claude Code was to be started and did not become ready. */
export class StartFailed extends IrisError {
  /** True: it was to resume a conversation; false: to create one. */
  readonly resuming: boolean
  /** It rejected the session: it cannot use the transcript, or the id is taken. */
  readonly refused: boolean
  /** How its process exited on its own: by a signal, or with its own exit code. Undefined: it did not. */
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
    "Run claude in the team's directory to see why.",
    { cause },
  )
}

/** Claude Code runs, but does not reach its session endpoint, over which it would ask for permissions. */
export class EndpointDown extends Error {}

/** What a process is doing that fails to become ready. */
export interface Holding {
  /** Names of the hooks that run; older builds do not say. */
  readonly hooks: readonly string[]
  /** Command lines of the programs that it has started. */
  readonly programs: readonly string[]
}

/** It did not answer within `spawnTimeout` milliseconds, or answered wrongly. */
export function failedToBeReady(team: string, spawnTimeout: number, cause: unknown, holding: Holding): IrisError {
  if (cause instanceof EndpointDown) return endpointDown(team, cause)
  if (!(cause instanceof NoAnswer)) return failedToStart(team, cause)
  const seen = holdingText(holding)
  return new IrisError(
    'spawn_timeout',
    [`Claude Code for team "${team}" was not ready within ${spawnTimeout} ms.`, ...seen].join(' '),
    seen.length === 0
      ? 'Check whether the machine is overloaded, or raise settings.spawnTimeout.'
      : 'Run it by itself to see what it waits for. Hooks and servers come from the settings of the project, the user and plugins; /hooks and /mcp in claude list them. If it is just slow, raise settings.spawnTimeout.',
    { cause },
  )
}

function endpointDown(team: string, cause: EndpointDown): IrisError {
  return new IrisError(
    'spawn_failed',
    `The session endpoint of team "${team}" did not come up: ${cause.message}.`,
    'Look for a proxy or a firewall between Claude Code and 127.0.0.1, or set sessionMcpEnabled: false.',
    { cause },
  )
}

/** Programs that are named, and characters of each. */
const maxPrograms = 3
const maxProgram = 200

function holdingText({ hooks, programs }: Holding): readonly string[] {
  const named = programs.slice(0, maxPrograms).map((line) => line.slice(0, maxProgram).toWellFormed())
  return [
    ...(hooks.length > 0 ? [`A hook has not ended: ${hooks.join(', ')}.`] : []),
    ...(named.length > 0 ? [`It has started this, which still runs: ${named.join('; ')}.`] : []),
  ]
}

/** A shell or a sandbox reports a signal as an exit code above 128. */
export function deathOf({ code, signal }: Exit): 'killed' | 'exited' {
  return signal !== null || (code ?? 0) > 128 ? 'killed' : 'exited'
}
