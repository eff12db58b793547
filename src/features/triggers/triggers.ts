import type { Clock } from '../../base/lib/clock.ts'
import { isNestedDeeper } from '../../base/lib/json-depth.ts'
import type { Log } from '../../base/lib/log.ts'
import { utf8Of } from '../../base/lib/utf8.ts'
import { type ErrorCode, IrisError } from '../../base/protocol/error.ts'
import { roleThread } from '../../base/protocol/role.ts'
import { triggerAsker } from '../../base/protocol/trigger.ts'
import type { Turns } from '../../kernel/accept/turn-handle.ts'
import type { CallLimit } from '../../kernel/call/call-limit.ts'
import type { Refusals } from '../../kernel/call/refusals.ts'
import type { Pool } from '../../kernel/pool/pool.ts'
import type { Sessions } from '../../kernel/session/sessions.ts'
import type { Config, TriggerConfig } from '../../platform/config/config.ts'
import type { Vitals } from '../../platform/metrics/vitals.ts'
import { isWanted, messageFor, metadataFor, missingIn, threadFor } from './event-message.ts'
import type { TriggerRows } from './rows.ts'
import { type Identity, identityOf, longestKeptMs, type Received } from './scheme.ts'
import type { TriggerSecrets } from './trigger-secrets.ts'

export interface TriggersParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  readonly rows: TriggerRows
  readonly secrets: TriggerSecrets
  readonly turns: Pick<Turns, 'ask' | 'handle'>
  readonly sessions: Pick<Sessions, 'openLive' | 'end'>
  readonly pool: Pick<Pool, 'stop'>
  readonly callLimit: Pick<CallLimit, 'take'>
  readonly refusals: Pick<Refusals, 'record'>
  readonly calls: Pick<Vitals['calls'], 'add'>
  /** A random word, of letters and digits. */
  readonly newWord: () => string
  /** Tells the owner that an event could not become a message. */
  readonly tell: (trigger: TriggerConfig) => void
}

/** The outcome of a request with a valid secret. */
export type Taken =
  | { readonly what: 'accepted' | 'repeated'; readonly turnId: string }
  /** The event does not meet the trigger's `when`. */
  | { readonly what: 'leftOut' }
  | { readonly what: 'unusable'; readonly why: string }

/** Why the last event that did not become a message failed. `at`: milliseconds since the epoch. */
export interface Problem {
  readonly why: string
  readonly at: number
}

/** The outcomes of requests, by name. */
export type Outcome = Taken['what'] | 'refused' | 'tooLarge' | 'tooSlow' | 'crowded' | 'busy'

const dayMs = 86_400_000
const weekMs = 7 * dayMs
/** The maximum number of conversations that events of one trigger begin in a day. */
const maxBegun = 64
const maxDepth = 64
/** How many rows are deleted, and how many conversations are archived, in one go. */
const batch = 500
const usualWaitMs = 30_000

/** Temporary refusals: the sender sends the event again. */
const passing: ReadonlySet<ErrorCode> = new Set([
  ...(['shutting_down', 'store_unavailable', 'queue_full', 'over_budget', 'too_many_calls'] as const),
  ...(['limited', 'breaker_open', 'no_free_process', 'too_many_starts', 'account_unusable'] as const),
])

/** Events from outside that become messages, each once. */
export class Triggers {
  readonly #parts: TriggersParts
  /**
   * The last request of each trigger. Requests are taken one after the other, so that the second of two equal ones is
   * recognized as a repeat.
   */
  readonly #last = new Map<string, Promise<unknown>>()
  readonly #counts = new Map<string, Map<Outcome, number>>()
  readonly #problems = new Map<string, Problem>()

  constructor(parts: TriggersParts) {
    this.#parts = parts
  }

  has(name: string): boolean {
    return this.#parts.config().triggers.has(name)
  }

  /** The outcomes of the requests of a trigger since Iris started. */
  countsOf(name: string): ReadonlyMap<Outcome, number> {
    return this.#counts.get(name) ?? new Map()
  }

  problemOf(name: string): Problem | undefined {
    return this.#problems.get(name)
  }

  /** Counts a request that was never verified. */
  dropped(name: string, outcome: 'tooLarge' | 'tooSlow' | 'crowded'): void {
    this.#count(name, outcome)
  }

  /**
   * Verifies a request, and has its message accepted; resolves when the message is on the disk. Throws `unauthorized`,
   * also for a name that no trigger has, and temporary errors with `retryAfterMs`.
   */
  async take(name: string, received: Received): Promise<Taken> {
    const { config, clock, secrets, refusals } = this.#parts
    const trigger = config().triggers.get(name)
    const known = await secrets.of(trigger)
    const identity = identityOf(trigger?.scheme ?? 'standard', known, received, clock.now())
    if (trigger === undefined || identity === undefined) {
      this.#count(name, 'refused')
      const subject = trigger === undefined ? 'an unknown trigger' : triggerAsker(name)
      refusals.record({ actor: 'unknown', action: 'trigger.refused', subject })
      throw unauthorized()
    }
    const taken = await this.#verified(trigger, identity, received)
    this.#count(name, taken.what)
    return taken
  }

  async #verified(trigger: TriggerConfig, identity: Identity, received: Received): Promise<Taken> {
    try {
      this.#parts.callLimit.take(triggerAsker(trigger.name))
      return await this.#inTurn(trigger, identity, received.body)
    } catch (error) {
      if (!(error instanceof IrisError)) throw error
      const { code, message, retryAfterMs = usualWaitMs } = error
      if (!passing.has(code)) return this.#unusable(trigger, message)
      this.#count(trigger.name, 'busy')
      this.#parts.log.warn(`an event of the trigger ${trigger.name} has to be sent again: ${message}`, { code })
      throw new IrisError(code, 'Iris cannot accept this event now.', 'Send it again later.', {
        cause: error,
        retryAfterMs,
      })
    }
  }

  async #inTurn(trigger: TriggerConfig, identity: Identity, body: Uint8Array): Promise<Taken> {
    const { name } = trigger
    const before = this.#last.get(name) ?? Promise.resolve()
    const taking = before.then(() => this.#accept(trigger, identity, body))
    const done = taking.catch(() => {})
    this.#last.set(name, done)
    const taken = await taking.finally(() => this.#last.get(name) === done && this.#last.delete(name))
    if ('turnId' in taken) await this.#parts.turns.handle(taken.turnId).durable()
    return taken
  }

  async #accept(trigger: TriggerConfig, { hash, keptMs }: Identity, body: Uint8Array): Promise<Taken> {
    const { rows, clock, turns, newWord } = this.#parts
    const { name, team, role, budget, callback } = trigger
    const firstSeen = clock.now()
    const earlier = rows.find(name, hash, firstSeen - keptMs)
    if (earlier !== undefined) return { what: 'repeated', turnId: earlier.turn }
    const event = eventIn(body)
    if (event === undefined) return this.#unusable(trigger, 'it is not JSON, or nested too deep')
    if (!isWanted(trigger, event)) return { what: 'leftOut' }
    const missing = missingIn(trigger, event)
    if (missing.length > 0) return this.#unusable(trigger, `it has nothing at ${missing.join(', ')}`)
    const metadata = metadataFor(trigger, event)
    if (metadata === undefined) return this.#unusable(trigger, 'what it has for metadata is more than 2 KiB')
    const [from, thread] = [triggerAsker(name), threadFor(trigger, event)]
    const began = this.#begins({ from, to: team, thread: roleThread(role, thread) })
    const turn = await turns.ask({
      pair: { from, to: team, thread },
      role,
      message: messageFor(trigger, event, newWord()),
      waits: false,
      parent: undefined,
      ...(budget !== undefined && { budget }),
      ...(trigger.metadata !== undefined && { metadata }),
      callback,
      idempotencyKey: `${from}\0${hash}\0${firstSeen}`,
      alongside: (turnId) => rows.add({ name, hash, firstSeen, turn: turnId, began }),
    })
    return { what: 'accepted', turnId: turn.id }
  }

  /** Whether the message begins a conversation. Throws `too_many_starts` if too many have begun today. */
  #begins(pair: Parameters<Sessions['openLive']>[0]): boolean {
    const { sessions, rows, clock } = this.#parts
    if (sessions.openLive(pair) !== undefined) return false
    const name = pair.from.slice(triggerAsker('').length)
    if (rows.begunSince(name, clock.now() - dayMs) < maxBegun) return true
    throw new IrisError(
      'too_many_starts',
      `events of ${name} have begun ${maxBegun} conversations within a day.`,
      'Give the trigger a thread with a value that more events share.',
      { retryAfterMs: 3_600_000 },
    )
  }

  #unusable(trigger: TriggerConfig, why: string): Taken {
    const { clock, log, tell } = this.#parts
    this.#problems.set(trigger.name, { why, at: clock.now() })
    log.warn(`an event of the trigger ${trigger.name} did not become a message: ${why}`)
    tell(trigger)
    return { what: 'unusable', why }
  }

  #count(name: string, outcome: Outcome): void {
    const isKnown = this.has(name)
    // Strangers can choose any name, so all unknown names are counted as one.
    const caller = isKnown ? triggerAsker(name) : 'unknown'
    this.#parts.calls.add({ operation: 'trigger', caller, result: outcome })
    if (!isKnown) return
    const counts = this.#counts.get(name) ?? new Map<Outcome, number>()
    this.#counts.set(name, counts.set(outcome, (counts.get(outcome) ?? 0) + 1))
  }

  /** Archives conversations that no event has used for a week, and forgets events that would count as new by now. */
  async tidy(): Promise<void> {
    const { rows, clock, sessions, pool } = this.#parts
    while (rows.forget(clock.now() - longestKeptMs, batch) === batch) await otherWork()
    const why = 'no event has used it for a week'
    for (const pair of rows.idleSince(clock.now() - weekMs, batch)) {
      const session = sessions.openLive(pair)
      if (session === undefined || session.queue.length > 0) continue
      await pool.stop(session, why)
      if (session.queue.length === 0 && session.row.status !== 'archived') sessions.end(session, why)
    }
  }
}

function eventIn(body: Uint8Array): unknown {
  try {
    const event: unknown = JSON.parse(utf8Of(body) ?? '')
    return isNestedDeeper(event, maxDepth) ? undefined : event
  } catch {
    return undefined
  }
}

/** The same error for every name, so that nobody learns which triggers there are. */
function unauthorized(): IrisError {
  return new IrisError(
    'unauthorized',
    'There is no trigger with this name, or the request was not signed with its secret.',
    'The owner of this Iris has the name, the scheme and the secret.',
  )
}

function otherWork(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
