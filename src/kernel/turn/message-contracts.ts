import type { Ask } from './ask.ts'
import type { Turn } from './turn.ts'

/** The value, if it meets the schema of the message. Otherwise, its errors. */
export type JudgedValue = { readonly value: unknown } | { readonly errors: readonly string[] }

/** Commits a value for a running turn, or counts the refused try. */
export type GiveValue = (turn: Turn, judged: JudgedValue) => 'taken' | 'refused' | 'too_late'

/** The result of checking a value that an agent gave. */
export interface GivenValue {
  readonly taken: boolean
  /** The error in the value. */
  readonly errors: readonly string[]
  /** Whether the agent may give another value. */
  readonly again: boolean
}

/** The schemas that messages and answers must match, from an ask and its team. */
export interface MessageContracts {
  /**
   * Whether a schema applies to the ask, which must then be checked. No schema applies to a message for a person's open
   * session.
   */
  readonly concerns: (ask: Ask) => boolean
  /**
   * The ask with the schema that applies to it: the ask's own schema, or else the team's. Throws `schema_invalid` and
   * `contract_broken`.
   */
  readonly admitted: (ask: Ask) => Promise<Ask>
  /** Throws `invalid_input` if the turn is unknown or asks for no value, and `unknown_turn` if it has ended. */
  readonly give: (
    turn: Turn | undefined,
    value: unknown,
    orchestrator: { readonly giveValue: GiveValue },
  ) => Promise<GivenValue>
}
