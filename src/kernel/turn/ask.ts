import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { uuidOf } from '../../base/lib/uuid-of.ts'
import { type Budget, narrowest, overBudget, type SharedBudget } from '../../base/protocol/budget.ts'
import type { Metadata } from '../../base/protocol/callback.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { JsonSchema } from '../../base/protocol/json-schema.ts'
import { isOpenSessionThread } from '../../base/protocol/open-session-thread.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import { type Priority, rankOf } from '../../base/protocol/priority.ts'
import { isRoleThread, roleOfThread, roleThread } from '../../base/protocol/role.ts'
import type { Cancellation } from '../../base/protocol/turn.ts'
import type { Config } from '../../platform/config/config.ts'
import { isLimited, roleOf } from '../../platform/config/roles.ts'
import type { DeliveryReason, Ledger, TurnRow } from '../../platform/store/ledger.ts'
import type { NewToolStart } from '../../platform/store/tool-starts.ts'
import type { Turn, TurnFacts } from './turn.ts'

/** A file of a message that has not been accepted yet. */
export interface AttachedFile {
  readonly name: string
  readonly content: Buffer
}

/** A person in a chat. */
export interface ChatSender {
  readonly userId: string
  /** A name that the person chose, so it proves nothing. */
  readonly userName: string
}

/** A message for a team, with the conditions of its answer. */
export interface Ask {
  readonly pair: Pair
  /**
   * The role whose rights apply. A limited role of the asking turn overrides it. If undefined, the team's rights apply.
   */
  readonly role?: string | undefined
  readonly message: string
  /** Whether the asker waits for the answer. */
  readonly waits: boolean
  /** Unique across all callers. An ask with a known key returns the turn of that key. */
  readonly idempotencyKey: string | undefined
  /** The asking agent's turn, and the tool use that asks. */
  readonly parent: { readonly turnId: string; readonly toolUseId: string } | undefined
  /** Called in the transaction that accepts this turn, to commit further changes with it. */
  readonly alongside?: ((turnId: string) => void) | undefined
  /** Like `alongside`, for a message that joins a running turn: called in the transaction that stores it. */
  readonly joining?: ((turnId: string) => void) | undefined
  /** Who sent the message in a chat. The model reads it if the message joins a running turn. */
  readonly sender?: ChatSender | undefined
  /** Limits for the turn and everything it causes. A budget that already covers the turn still applies. */
  readonly budget?: Budget | undefined
  /** A budget that all messages of one call share. */
  readonly sharedBudget?: SharedBudget | undefined
  /** How long the asker waits at most, milliseconds. Absent if there is no limit, or if the asker does not wait. */
  readonly waitsMs?: number | undefined
  /** Whether the message is for an open session of the team instead of the pair's conversation. */
  readonly live?: boolean | undefined
  /** What to do while the conversation is working on another message. Default: queue. */
  readonly whenBusy?: 'queue' | 'steer' | 'interrupt' | 'refuse' | undefined
  /**
   * The place among waiting messages. An agent's ask has at most the priority of the agent's own turn. Default: normal.
   */
  readonly priority?: Priority | undefined
  /**
   * The schema of the answer's value. If absent, the schema that the team publishes applies. If the team publishes
   * none, the answer is text.
   */
  readonly responseSchema?: JsonSchema | undefined
  /** The callback in config.yaml that receives the turn's events, and the metadata returned with them. */
  readonly callback?: string | undefined
  readonly metadata?: Metadata | undefined
  /** Files that come with the message. A repeated ask need not include them again. */
  readonly attachments?: readonly AttachedFile[] | undefined
  /**
   * For an ask from another host: the id of its turn there, and its place in the chain of asks that began on another
   * host.
   */
  readonly origin?: { readonly turnId: string; readonly chain: readonly string[]; readonly hop: number } | undefined
  /** What another host had already done, if the turn began there. */
  readonly earlierWork?: EarlierWork | undefined
  /** Id of the ended turn that this ask retries. */
  readonly retryOf?: string
}

/**
 * Returns the ask with the thread and the budget of its role. A limited role also applies to everything that its turns
 * ask, whatever role those asks name. Throws `invalid_input` for a thread that only Iris may name, and `not_allowed`
 * for a team that the role may not ask.
 */
export function withRole(ask: Ask, parent: Turn | undefined, config: Config): Ask {
  const { pair, budget } = ask
  if (isOpenSessionThread(pair.thread) && ask.live !== true) {
    const remedy = 'Remove "live:" from the thread name, and set deliver: live.'
    throw new IrisError(
      'invalid_input',
      'A thread whose name begins with "live:" belongs to an open session, and only Iris gives it that name.',
      remedy,
    )
  }
  if (isRoleThread(pair.thread)) {
    const remedy = 'Remove "role:" from the thread name, and set role instead.'
    throw new IrisError(
      'invalid_input',
      'A thread whose name begins with "role:" belongs to a role, and only Iris gives it that name.',
      remedy,
    )
  }
  const inherited = parent && roleOfThread(parent.pair.thread)
  const isHeld = inherited !== undefined && isLimited(roleOf(config, inherited))
  const name = isHeld ? inherited : ask.role
  if (name === undefined) return ask
  if (ask.live === true)
    throw new IrisError(
      'not_allowed',
      "A message with a role cannot go to an open session, because that session has all of its person's rights.",
      'Leave deliver out.',
    )
  const role = roleOf(config, name)
  if (role.teams?.includes(pair.to) === false) {
    throw new IrisError('not_allowed', `The role "${name}" may not ask ${pair.to}.`, 'Answer with what you know.')
  }
  const thread = roleThread(name, pair.thread)
  return { ...ask, role: name, pair: { ...pair, thread }, budget: narrowest(budget, role.budget) }
}

export function earlierTurn(
  { idempotencyKey: key, origin }: Pick<Ask, 'idempotencyKey' | 'origin'>,
  ledger: Ledger,
): TurnRow | undefined {
  if (origin) return ledger.turn(origin.turnId)
  return key === undefined ? undefined : ledger.turnByKey(key, uuidOf(key))
}

/** Throws `key_in_use` if the turn with this key has another message, pair or schema. */
export function mustBeSame(earlier: TurnRow, of: Pair, { pair, message, responseSchema }: Ask): void {
  const isSame = earlier.message === message && of.from === pair.from && of.to === pair.to && of.thread === pair.thread
  // An ask without a schema may have received the team's schema.
  const wantsSame =
    responseSchema === undefined || canonicalJson(responseSchema) === canonicalJson(earlier.responseSchema)
  if (isSame && wantsSame) return
  throw new IrisError(
    'key_in_use',
    `This idempotency key belongs to another message (turn ${earlier.id}).`,
    'Use a different key for each message.',
  )
}

/** Throws `over_budget` or `asker_ended` if the asking turn has ended or is being cancelled. */
export function mayStillAsk(id: string, turn: Turn | undefined): void {
  if (turn === undefined)
    throw new IrisError(
      'asker_ended',
      `The turn that asks (${id}) has ended, so its message was not sent.`,
      'Stop here.',
    )
  if (!turn.cancelled.aborted) return
  const { reason, detail } = turn.cancelled.reason as Cancellation
  if (reason === 'over_budget') throw overBudget(detail)
  throw new IrisError(
    'asker_ended',
    `The turn that asks (${id}) is being ended, so its message was not sent: ${detail}`,
    'Stop here.',
  )
}

export function factsOf(
  {
    pair: { from, to, thread },
    message,
    parent: by,
    waits,
    responseSchema,
    retryOf,
    priority,
    sharedBudget,
    ...ask
  }: Ask,
  parent: Turn | undefined,
  own: Pick<TurnFacts, 'id' | 'hop' | 'budget' | 'acceptedAt' | 'attachments'>,
): TurnFacts {
  return {
    ...own,
    pair: { from, to, thread },
    message,
    parentTurn: by?.turnId ?? null,
    parentToolUse: by?.toolUseId ?? null,
    ancestors: [...(parent ? [...parent.facts.ancestors, parent.id] : []), ...(sharedBudget ? [sharedBudget.id] : [])],
    sharedBudget: sharedBudget?.id ?? null,
    awaited: waits,
    priority: Math.min(rankOf(priority), parent?.facts.priority ?? 1),
    responseSchema: responseSchema ?? null,
    callback: ask.callback ?? null,
    metadata: ask.metadata ?? null,
    contextReset: null,
    ...(retryOf !== undefined && { retryOf }),
  }
}

/** The work that was done for a turn on the host that led its conversation before this one. */
export interface EarlierWork {
  /** At least one delivery, in order. */
  readonly deliveries: readonly { readonly uuid: string; readonly why: DeliveryReason }[]
  readonly toolStarts: readonly Omit<NewToolStart, 'turn'>[]
}
