import type { Output } from '../../../adapters/client/tool-call.ts'
import type { IrisError } from '../../../base/protocol/error.ts'
import type { OperationName } from '../../../base/protocol/operations/index.ts'
import type { Environment } from '../../../platform/config/home.ts'
import type { DaemonCode } from '../daemon-code.ts'

export const groups = [
  'Messages',
  'Conversations',
  'Teams',
  'Permissions',
  'What happened',
  'Configuration',
  'Daemon',
] as const
export type Group = (typeof groups)[number]

/** One run of a command. */
export interface Given {
  readonly env: Environment
  /** What was given of the operation's input. */
  readonly input: Readonly<Record<string, unknown>>
  /** What was given besides: by the names of `options`, in camelCase, and of `words`. */
  readonly options: Readonly<Record<string, unknown>>
  readonly json: boolean
  readonly daemon: DaemonCode
  /** What was refused, and what to do, as people at a terminal are told it. */
  readonly refusalText: (error: IrisError) => string
}

/** Does what the command is for; resolves with the exit code, undefined for 0. */
export type Run = (given: Given) => Promise<number | undefined | void>

interface Described {
  /** As it is typed: `wake`, `teams list`. */
  readonly name: string
  readonly group: Group
  /** Default: the title of its operation. */
  readonly summary?: string
  /** Flags and descriptions, beyond what the contract of the operation has; `--json` all have without `noJson`. */
  readonly options?: readonly (readonly [flags: string, description: string])[]
  /** Arguments beyond those of the contract, in the notation of commander. */
  readonly words?: readonly (readonly [word: string, description: string])[]
  /** At least one: what is typed after `iris`, and what it does. */
  readonly examples: readonly (readonly [line: string, does: string])[]
  /** Why there is no `--json`, where stdout is not for an answer but for a protocol. */
  readonly noJson?: string
}

interface OfOperation {
  /** Its input gives arguments and options, with their descriptions. */
  readonly operation: OperationName
  /** Fields that are given by their place, with how that is shown: `<team>`, `[message...]`. */
  readonly places?: Readonly<Record<string, string>>
  /** Fields that are not offered. */
  readonly without?: readonly string[]
}

export interface CommandSpec extends Described, Partial<OfOperation> {
  readonly load: () => Promise<Run>
}

/** A command that only calls its operation, and shows what came of it. */
export interface CallSpec<Name extends OperationName> extends Described, OfOperation {
  readonly operation: Name
  /** Loads what says the outcome in lines. */
  readonly lines: () => Promise<(output: Output<Name>) => readonly string[]>
}
