import type { Pair } from '../../src/base/protocol/pair.ts'
import type { OperationName } from '../../src/features/contracts.ts'
import type { Config, SettingsConfig } from '../../src/platform/config/config.ts'
import type { Question } from './question.ts'
import type { Life } from './time.ts'

/** Someone called an operation: what they asked, and what they were told. */
export interface Told {
  readonly question: Question | undefined
  readonly name: OperationName
  readonly input: Readonly<Record<string, unknown>>
  /** Still waiting, or the daemon died before it said anything. */
  result?: Readonly<Record<string, unknown>>
  refusal?: { readonly code: string; readonly message: string }
  hangUp: () => void
  readonly daemon: Life
}

export interface SimulationOptions {
  readonly seed: number
  readonly flushDelayMs: number
  /** Of the model, tokens. */
  readonly contextWindow: number
  /** A store without anything in it, and the directories of the teams. */
  readonly base: { readonly config: Config; readonly env: Readonly<Record<string, string>>; newStore(): string }
  readonly settings: Partial<SettingsConfig>
  /** Names of features without which Iris is composed; see `Composition`. */
  readonly leftOut?: ReadonlySet<string>
}

/** What Iris logs only when it has a fault. */
export function wrongInLog(hadFullDisk: boolean): RegExp {
  return hadFullDisk
    ? /cannot be recorded|TypeError/
    : /cannot be recorded|store did not take|were not checked|TypeError/
}

export function isOf(one: Pair, other: Pair): boolean {
  return one.from === other.from && one.to === other.to && one.thread === other.thread
}
