import { IrisError } from '../../base/protocol/error.ts'
import type { JsonSchema } from '../../base/protocol/json-schema.ts'
import { mayTryAgain } from '../../kernel/deliver/missing-value.ts'
import { agentOfThread } from '../../kernel/session/agent-thread.ts'
import type { Ask } from '../../kernel/turn/ask.ts'
import type { GivenValue, GiveValue, JudgedValue, MessageContracts } from '../../kernel/turn/message-contracts.ts'
import type { Turn } from '../../kernel/turn/turn.ts'
import type { Config } from '../../platform/config/config.ts'
import { joinedErrors, type Schemas } from './schemas.ts'

/** Asks whose answer is a value, and the schemas that teams publish for messages (`accepts`) and values (`returns`). */
export class TypedAsks implements MessageContracts {
  readonly #config: () => Config
  readonly #schemas: Pick<Schemas, 'check' | 'judge' | 'close'>

  constructor({ config }: { readonly config: () => Config }, schemas: Pick<Schemas, 'check' | 'judge' | 'close'>) {
    this.#config = config
    this.#schemas = schemas
  }

  concerns({ pair: { to, thread }, responseSchema, live }: Ask): boolean {
    if (responseSchema !== undefined) return true
    if (live === true) return false
    const { accepts, returns } = this.#contract(to, thread)
    return accepts !== undefined || returns !== undefined
  }

  async admitted(ask: Ask): Promise<Ask> {
    const schemas = this.#schemas
    const { to, thread } = ask.pair
    const { accepts, returns } = this.#contract(to, thread)
    if (accepts) {
      const judged = await schemas.judge(accepts, messageValue(ask.message), `accepts of team "${to}"`)
      if ('errors' in judged) throw broken(to, judged.errors)
    }
    const [schema, whose] = ask.responseSchema
      ? [ask.responseSchema, 'responseSchema']
      : [returns, `returns of team "${to}"`]
    if (schema) await schemas.check(schema, whose)
    return { ...ask, responseSchema: schema }
  }

  async give(
    turn: Turn | undefined,
    value: unknown,
    orchestrator: { readonly giveValue: GiveValue },
  ): Promise<GivenValue> {
    const schema = turn?.facts.responseSchema
    if (turn === undefined || !schema) throw noValueWanted()
    const judged = await this.#judged(turn, schema, value)
    const state = orchestrator.giveValue(turn, judged)
    if (state === 'too_late') throw new IrisError('unknown_turn', 'The message has ended.', 'Stop here.')
    const errors = 'errors' in judged ? judged.errors : []
    return { taken: state === 'taken', errors, again: state === 'refused' && mayTryAgain(turn.valueRefusals.length) }
  }

  async #judged(turn: Turn, schema: JsonSchema, value: unknown): Promise<JudgedValue> {
    if (value === undefined) return { errors: ['value is missing'] }
    // Only the first accepted value counts, so a later one is not checked.
    return turn.value === undefined ? this.#schemas.judge(schema, value, 'responseSchema') : { value }
  }

  close(): void {
    void this.#schemas.close()
  }

  /** The schemas of a team do not apply to its invoked agents. */
  #contract(to: string, thread: string): { accepts?: JsonSchema | undefined; returns?: JsonSchema | undefined } {
    return agentOfThread(thread) === undefined ? (this.#config().teams.get(to) ?? {}) : {}
  }
}

/** A message that parses as JSON is checked as that value, any other as a string. */
function messageValue(message: string): unknown {
  try {
    return JSON.parse(message)
  } catch {
    return message
  }
}

function broken(team: string, errors: readonly string[]): IrisError {
  return new IrisError(
    'contract_broken',
    `The message does not match the schema that "${team}" accepts: ${joinedErrors(errors)}.`,
    'Send JSON that matches it; list_teams shows the schema.',
  )
}

function noValueWanted(): IrisError {
  return new IrisError(
    'invalid_input',
    'The message that you are working on does not ask for a value.',
    'Answer it in text.',
  )
}
