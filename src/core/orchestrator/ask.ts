import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { uuidOf } from '../../base/lib/uuid-of.ts'
import { type Budget, narrowest } from '../../base/protocol/budget.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { JsonSchema } from '../../base/protocol/json-schema.ts'
import type { Pair } from '../../base/protocol/party.ts'
import { isRoleThread, roleOfThread, roleThread } from '../../base/protocol/role.ts'
import type { Cancellation } from '../../base/protocol/turn.ts'
import type { Turn, TurnFacts } from '../../claude/turn/turn.ts'
import type { Config } from '../../platform/config/config.ts'
import { isLimited, roleOf } from '../../platform/config/roles.ts'
import type { Ledger, TurnRow } from '../../platform/store/ledger.ts'
import { overBudget } from './budgets.ts'

/** Somebody wants something said to a team. */
export interface Ask {
  readonly pair: Pair
  /** By which role it is answered; undefined: that of the asking turn, or all that the team may. */
  readonly role?: string | undefined
  readonly message: string
  /** The asker waits for the answer. */
  readonly waits: boolean
  /** Unique over all callers; the same key is the same turn. */
  readonly idempotencyKey: string | undefined
  /** The turn whose agent asks, and the tool use it asks with. */
  readonly parent: { readonly turnId: string; readonly toolUseId: string } | undefined
  /** Changes of the store that are committed with the acceptance of this turn, or not at all. */
  readonly alongside?: ((turnId: string) => void) | undefined
  /** What it may use up with everything it causes; narrower than what covers it anyway, or without effect. */
  readonly budget?: Budget | undefined
  /** So long the asker waits at the most, milliseconds; absent: without a limit. */
  readonly waitsMs?: number | undefined
  /** What is done while the conversation works on another message. Default: the message waits. */
  readonly whenBusy?: 'queue' | 'interrupt' | 'refuse' | undefined
  /** What the answer has to meet; absent: it is text. */
  readonly responseSchema?: JsonSchema | undefined
  /** The turn that it tries again. */
  readonly retryOf?: string
}

/**
 * The ask with the conversation and the budget of its role. A limited role holds for everything that its turns ask, whatever
 * the asker names. Throws `not_allowed` for a team that the role may not ask, and for a thread that only Iris names.
 */
export function withRole(ask: Ask, parent: Turn | undefined, config: Config): Ask {
  const { pair, budget } = ask
  if (isRoleThread(pair.thread)) {
    const remedy = 'Leave "role:" out of the name of the thread, and name the role itself.'
    throw new IrisError('invalid_input', 'Only Iris names the conversations of a role.', remedy)
  }
  const inherited = parent && roleOfThread(parent.pair.thread)
  const isHeld = inherited !== undefined && isLimited(roleOf(config, inherited))
  const name = isHeld ? inherited : ask.role
  if (name === undefined) return ask
  const role = roleOf(config, name)
  if (role.teams?.includes(pair.to) === false) {
    throw new IrisError('not_allowed', `With the role "${name}" nobody asks ${pair.to}.`, 'Answer with what is known.')
  }
  const thread = roleThread(name, pair.thread)
  return { ...ask, role: name, pair: { ...pair, thread }, budget: narrowest(budget, role.budget) }
}

/** A store made anew does not know the keys; the id that comes of one it does. */
export function earlierTurn({ idempotencyKey: key }: Pick<Ask, 'idempotencyKey'>, ledger: Ledger): TurnRow | undefined {
  return key === undefined ? undefined : (ledger.turnByKey(key) ?? ledger.turn(uuidOf(key)))
}

/** Throws `invalid_input` when the key of that turn is used for something else. */
export function mustBeSame(earlier: TurnRow, of: Pair, { pair, message, responseSchema }: Ask): void {
  const isSame = earlier.message === message && of.from === pair.from && of.to === pair.to && of.thread === pair.thread
  // An ask without a schema may have got its team's.
  const wantsSame =
    responseSchema === undefined || canonicalJson(responseSchema) === canonicalJson(earlier.responseSchema)
  if (isSame && wantsSame) return
  throw new IrisError(
    'invalid_input',
    `This idempotency key belongs to another message (turn ${earlier.id}).`,
    'Use a key of its own for each message.',
  )
}

/** A turn that is being ended causes nothing more. Throws `over_budget` or `asker_ended`. */
export function mayStillAsk(id: string, turn: Turn | undefined): void {
  if (turn === undefined) throw new IrisError('asker_ended', `Turn ${id}, which asks, has ended.`, 'Stop here.')
  if (!turn.cancelled.aborted) return
  const { reason, detail } = turn.cancelled.reason as Cancellation
  if (reason === 'over_budget') throw overBudget(detail)
  throw new IrisError('asker_ended', `Turn ${id}, which asks, is being ended: ${detail}`, 'Stop here.')
}

export function factsOf(
  { pair: { from, to, thread }, message, parent: by, waits, responseSchema, retryOf }: Ask,
  parent: Turn | undefined,
  own: Pick<TurnFacts, 'id' | 'hop' | 'budget' | 'acceptedAt'>,
): TurnFacts {
  return {
    ...own,
    pair: { from, to, thread },
    message,
    parentTurn: by?.turnId ?? null,
    parentToolUse: by?.toolUseId ?? null,
    ancestors: parent ? [...parent.facts.ancestors, parent.id] : [],
    awaited: waits,
    responseSchema: responseSchema ?? null,
    contextReset: null,
    ...(retryOf !== undefined && { retryOf }),
  }
}
