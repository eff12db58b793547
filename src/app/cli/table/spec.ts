import type { Output } from '../../../adapters/client/tool-call.ts'
import type { IrisError } from '../../../base/protocol/error.ts'
import type { OperationName } from '../../../features/contracts.ts'
import type { Environment } from '../../../platform/config/home.ts'
import type { CommandContext } from '../context.ts'
import type { DaemonCode } from '../daemon-code.ts'

export const groups = [
  'Ask teams',
  'See what is going on',
  'Find out what happened',
  'Work with conversations',
  'Answer permission requests',
  'Manage teams',
  'Set up',
  'Let people and programs in',
  'Join other hosts',
  'Run Iris',
  'Try Iris',
] as const
export type Group = (typeof groups)[number]

/** One run of a command. */
export interface Given {
  readonly context: CommandContext
  /** The environment of the context. */
  readonly env: Environment
  /** The given part of the operation's input. */
  readonly input: Readonly<Record<string, unknown>>
  /** All other given values, by the camelCase names of `options` and the names of `words`. */
  readonly options: Readonly<Record<string, unknown>>
  readonly json: boolean
  readonly daemon: DaemonCode
  /** Formats an error and its remedy for people at a terminal. */
  readonly refusalText: (error: IrisError) => string
}

/** Runs the command; resolves with the exit code, undefined for 0. */
export type Run = (given: Given) => Promise<number | undefined | void>

interface Described {
  /** As it is typed: `wake`, `teams list`. */
  readonly name: string
  readonly group: Group
  /** Default: the title of its operation. */
  readonly summary?: string
  /** Options beyond those of the operation's contract; one with `...` may be given several times. Every command without `noJson` also has `--json`. */
  readonly options?: readonly (readonly [flags: string, description: string])[]
  /** Arguments beyond those of the contract, in the notation of commander. */
  readonly words?: readonly (readonly [word: string, description: string])[]
  /** At least one: the words after `iris`, and what they do. */
  readonly examples: readonly (readonly [line: string, does: string])[]
  /** Whether the command deletes or ends something. It is then never suggested for a misspelt word. */
  readonly destructive?: true
  /** Why there is no `--json`: stdout carries a protocol. */
  readonly noJson?: string
}

export interface OfOperation {
  /** The operation whose input gives the command its arguments and options, with their descriptions. */
  readonly operation: OperationName
  /** Fields that are given by position, with their notation: `<team>`, `[message...]`. */
  readonly places?: Readonly<Record<string, string>>
  /** Fields that are not offered. */
  readonly without?: readonly string[]
}

export interface CommandSpec extends Described, Partial<OfOperation> {
  readonly load: () => Promise<Run>
}

/** A command that only calls its operation and prints the output. */
export interface CallSpec<Name extends OperationName> extends Described, OfOperation {
  readonly operation: Name
  /** Loads the function that prints the output as lines, for a terminal of that width. */
  readonly lines: () => Promise<(output: Output<Name>, width: number) => readonly string[]>
  /** The exit code; default: 0. */
  readonly exitCode?: (output: Output<Name>) => number
}
