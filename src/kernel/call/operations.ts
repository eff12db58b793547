import type { z } from 'zod'
import type { Clock } from '../../base/lib/clock.ts'
import { safeParse } from '../../base/lib/safe-parse.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import { type ErrorCode, IrisError, toIrisError } from '../../base/protocol/error.ts'
import { IdempotencyKey } from '../../base/protocol/idempotency-key.ts'
import { type Contracts, contracts, type OperationName, operationNames } from '../../features/contracts.ts'
import type { Vitals } from '../../platform/metrics/vitals.ts'
import type { AuditRecords } from '../session/audit-entry.ts'
import { featureMissing } from '../session/seams.ts'
import { asMeant } from './as-meant.ts'
import { auditEntry, isAudited } from './audited.ts'
import { type AuthContext, type Call, countedAs } from './call.ts'
import type { CallLimit } from './call-limit.ts'
import { inputWords } from './input-words.ts'
import { isNamed, may } from './policy.ts'
import { actorOf } from './principal.ts'
import type { Refusals } from './refusals.ts'

type Result<Name extends OperationName> = z.output<Contracts[Name]['output']>

/** The implementation of each operation, called with checked input. Throws an IrisError for every refusal. */
export type Handlers = {
  readonly [Name in OperationName]: (
    input: z.output<Contracts[Name]['input']>,
    call: Call,
  ) => Result<Name> | Promise<Result<Name>>
}

/** The parts that count, check and record a call. */
export interface CheckedParts {
  readonly clock: Clock
  readonly callLimit: Pick<CallLimit, 'enter' | 'take' | 'standing'>
  readonly audit: AuditRecords
  readonly refusals: Pick<Refusals, 'record'>
  readonly secrets: Pick<Secrets, 'hideInText'>
  readonly vitals: { readonly calls: Pick<Vitals['calls'], 'add'> }
}

/** Adds further information for the caller to an answer. */
export type AfterCall = (
  name: OperationName,
  result: Record<string, unknown>,
  input: unknown,
  call: Call,
) => Record<string, unknown>

export interface OperationsParts extends CheckedParts {
  readonly afterCall: readonly AfterCall[]
  /** The trace of the turn that an answer is about. Undefined if there is no such trace. */
  readonly traceparentOf?: (result: Record<string, unknown>) => string | undefined
}

/**
 * Schemas that refuse unknown arguments, since these are mistakes. Built once, because zod compiles a schema at its
 * first use.
 */
const strictInputs = Object.fromEntries(
  operationNames.map((name) => [name, contracts[name].input.strict()]),
) as unknown as {
  readonly [Name in OperationName]: z.ZodObject
}

/** All operations, for every adapter. */
export class Operations {
  readonly #handlers: Partial<Handlers>
  readonly #parts: OperationsParts

  constructor(handlers: Partial<Handlers>, parts: OperationsParts) {
    this.#handlers = handlers
    this.#parts = parts
  }

  /**
   * The trace of the turn that an answer is about, for callers that follow traces. Undefined if there is no such trace.
   */
  traceparentOf(result: Record<string, unknown>): string | undefined {
    return this.#parts.traceparentOf?.(result)
  }

  /** Counts a request that calls no operation. Throws `too_many_calls`. */
  count(auth: AuthContext): void {
    this.#parts.callLimit.take(countedAs(auth), auth.callsPerMinute)
  }

  /** How many calls the caller may make. */
  standing(auth: AuthContext): ReturnType<CallLimit['standing']> {
    return this.#parts.callLimit.standing(countedAs(auth), auth.callsPerMinute)
  }

  /**
   * Counts the call, checks the caller's right and the input, audits the call, then runs it. Throws an IrisError for
   * every refusal.
   */
  async call(name: OperationName, input: unknown, call: Call): Promise<Record<string, unknown>> {
    const { audit, callLimit, clock, afterCall, vitals } = this.#parts
    const { kind, id } = call.auth.principal
    const caller = kind === 'named' ? id : kind
    const ended = (result: string): void => vitals.calls.add({ operation: name, caller, result })
    let leave = (): void => {}
    try {
      leave = callLimit.enter(countedAs(call.auth), call.auth.callsPerMinute)
      checkKey(call.idempotencyKey)
      const wanted = checked(name, input, call.auth)
      if (isAudited(name)) audit.record({ at: clock.now(), ...auditEntry(name, input, call.auth) })
      const handle = this.#handlers[name] as ((input: unknown, call: Call) => unknown) | undefined
      if (handle === undefined) throw featureMissing(name, 'this call')
      const result = (await handle(wanted, heardBy(call))) as Record<string, unknown>
      ended('ok')
      return afterCall.reduce((answer, add) => add(name, answer, input, call), result)
    } catch (error) {
      ended(toIrisError(error).code)
      noteRefusal(error, name, call.auth, this.#parts)
      throw withoutSecrets(error, name, this.#parts)
    } finally {
      leave()
    }
  }
}

/** A program with its own token learns that the team is working on its message, but not what the team does. */
function heardBy(call: Call): Call {
  if (!isNamed(call.auth.principal)) return call
  return { ...call, progress: () => call.progress({ message: 'The message is being worked on.' }) }
}

/** Checks the transport's idempotency key. The arguments of an operation are checked separately. */
function checkKey(key: string | undefined): void {
  if (key === undefined || IdempotencyKey.safeParse(key).success) return
  throw new IrisError(
    'invalid_input',
    `The idempotency key ${key.trim() === '' ? 'is empty' : 'has more than 200 characters'}.`,
    'Send a different key with each message, or none.',
  )
}

function checked(name: OperationName, input: unknown, auth: AuthContext) {
  if (!may(name, auth.principal)) {
    throw new IrisError(
      'not_allowed',
      `${name} is not allowed for ${notFor(auth.principal)}.`,
      'Ask the person who owns this Iris.',
    )
  }
  const asGiven = safeParse(strictInputs[name], input ?? {})
  const parsed = asGiven.success ? asGiven : safeParse(strictInputs[name], asMeant(strictInputs[name], input))
  if (parsed.success) return parsed.data as never
  const words = inputWords(parsed.error.issues, input, Object.keys(strictInputs[name].shape))
  throw new IrisError(
    'invalid_input',
    `${name}: ${words}${words.endsWith('?') ? '' : '.'}`,
    'Correct the arguments; the tool description says what it accepts.',
  )
}

function notFor({ kind, id, limitedTo }: AuthContext['principal']): string {
  if (kind === 'named') return `${id}, a program with a token of its own`
  return limitedTo === undefined ? `${kind}s` : `${kind}s that answer by the role "${limitedTo}"`
}

/** Refusals that are audited, with the action that the audit entry names. */
const audited: Partial<Record<ErrorCode, string>> = {
  from_mismatch: 'from.mismatch',
  not_allowed: 'call.refused',
  too_many_calls: 'call.limited',
}

function noteRefusal(error: unknown, name: OperationName, auth: AuthContext, { refusals }: OperationsParts): void {
  const action = error instanceof IrisError ? audited[error.code] : undefined
  if (action === undefined) return
  refusals.record({
    actor: actorOf(auth.principal),
    action,
    subject: name,
    detail: { why: (error as IrisError).message },
  })
}

/**
 * Hides secrets in errors too, because an error can quote another program, for example a process's last output. The
 * operation's name at the beginning stays outside the search, because the text after `create_token: ` would look like a
 * secret.
 */
function withoutSecrets(error: unknown, name: OperationName, { secrets }: OperationsParts): unknown {
  if (!(error instanceof IrisError)) return error
  const { code, message, remedy, retryAfterMs, firstCursor } = error
  const { hideInText } = secrets
  const prefix = message.startsWith(`${name}: `) ? `${name}: ` : ''
  const shown = `${prefix}${hideInText(message.slice(prefix.length))}`
  return new IrisError(code, shown, hideInText(remedy), { cause: error, retryAfterMs, firstCursor })
}
