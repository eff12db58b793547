import type { Exit } from '../../base/lib/program-end.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { NoAnswer } from '../../claude/driver/control-channel.ts'

/** Claude Code was started but did not become ready. */
export class StartFailed extends IrisError {
  /** True if Claude Code should have resumed a conversation, false if it should have created one. */
  readonly resuming: boolean
  /** Claude Code rejected the session: it cannot use the transcript, or the id is taken. */
  readonly refused: boolean
  /** How the process exited on its own: by a signal, or with an exit code. Undefined if it did not exit on its own. */
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

/** Claude Code is running, but cannot reach its session endpoint, over which it would ask for permissions. */
export class EndpointDown extends Error {}

/** What keeps a process from becoming ready. */
export interface Holding {
  /** Names of the running hooks; older builds do not report them. */
  readonly hooks: readonly string[]
  /** Command lines of the programs that the process has started. */
  readonly programs: readonly string[]
}

/** The error for a process that did not answer within `spawnTimeout` milliseconds, or answered wrongly. */
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

/** The most programs to name, and the most characters of each. */
const maxPrograms = 3
const maxProgram = 200

function holdingText({ hooks, programs }: Holding): readonly string[] {
  const named = programs.slice(0, maxPrograms).map((line) => line.slice(0, maxProgram).toWellFormed())
  return [
    ...(hooks.length > 0 ? [`A hook has not ended: ${hooks.join(', ')}.`] : []),
    ...(named.length > 0 ? [`It started these programs, which are still running: ${named.join('; ')}.`] : []),
  ]
}

/**
 * How a process died. An exit code above 128 counts as a signal, because shells and sandboxes report signals in that
 * way.
 */
export function deathOf({ code, signal }: Exit): 'killed' | 'exited' {
  return signal !== null || (code ?? 0) > 128 ? 'killed' : 'exited'
}
