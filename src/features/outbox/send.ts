import type { attempt } from '../../base/lib/attempt.ts'
import type { Resolve } from '../../base/lib/checked-lookup.ts'
import type { Clock } from '../../base/lib/clock.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import { signedJson, type Unsigned } from '../../base/lib/webhook-signature.ts'
import type { CallbackConfig, Config } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/home.ts'
import { proxyAccess } from '../../platform/config/proxy.ts'
import { secretsIn } from './secrets-in.ts'

export interface SendParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly env: Environment
  readonly secrets: Pick<Secrets, 'add'>
  readonly attempt: typeof attempt
  /** Resolves the name in the address. Default: the system's resolver. Tests set another one. */
  readonly resolve?: Resolve
}

/**
 * The result of one try. `isGone`: the endpoint refuses further events (410). `notBefore`: the earliest time it accepts
 * a retry, milliseconds since the epoch.
 */
export type Tried =
  | { readonly isTaken: true; readonly status: number }
  | { readonly isTaken: false; readonly problem: string; readonly isGone?: boolean; readonly notBefore?: number }

/** How long a try may take, milliseconds. */
const tryMs = 30_000
/** The longest wait that an endpoint can ask for, milliseconds; longer ones are shortened to it. */
const mostAskedMs = 86_400_000

/** Posts a message once, signed with the time of the try. Never rejects. */
export async function send(
  { url, private: mayBePrivate, proxy, secretFile }: CallbackConfig,
  message: Unsigned,
  signal: AbortSignal,
  { config, clock, env, secrets, attempt, resolve }: SendParts,
): Promise<Tried> {
  const { home } = config()
  const found = await secretsIn([secretFile].flat(), home, env)
  if ('problem' in found) return { isTaken: false, problem: found.problem }
  secrets.add(found.secrets)
  const way = proxy && (await proxyAccess(proxy, home, env))
  if (way !== undefined && 'problem' in way) return { isTaken: false, problem: way.problem }
  if (way !== undefined) secrets.add(way.secrets)
  const signed = signedJson(message, found.secrets, clock.now())
  const through = { proxy: way?.access, resolve, clock, signal, withinMs: tryMs }
  const outcome = await attempt({ url, mayBePrivate, headers: signed.headers, body: signed.body, ...through })
  if ('failed' in outcome) return { isTaken: false, problem: outcome.failed }
  const { status, header } = outcome.reply
  if (status >= 200 && status < 300) return { isTaken: true, status }
  const problem = `it answered with the HTTP status ${status}`
  if (status === 410) return { isTaken: false, problem, isGone: true }
  const notBefore = retryAfter(header('retry-after'), clock.now())
  return { isTaken: false, problem, ...(notBefore !== undefined && { notBefore }) }
}

/** The time that a Retry-After names, in seconds or as a date; milliseconds since the epoch. At most a day from now. */
function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  const at = /^\s*\d{1,9}\s*$/.test(header) ? now + Number(header) * 1000 : Date.parse(header)
  return Number.isNaN(at) || at <= now ? undefined : Math.min(at, now + mostAskedMs)
}
