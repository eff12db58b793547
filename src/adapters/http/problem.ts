import { z } from 'zod'
import { type ErrorCode, IrisError, toIrisError } from '../../base/protocol/error.ts'

/** HTTP statuses by error code. The status of all other codes is 400. */
const statuses: Partial<Record<ErrorCode, number>> = {
  already_running: 409,
  asker_ended: 409,
  account_unusable: 409,
  breaker_open: 503,
  config_conflict: 409,
  cursor_unknown: 410,
  from_mismatch: 403,
  internal: 500,
  key_in_use: 409,
  limited: 429,
  may_have_run: 409,
  message_too_long: 413,
  no_free_process: 503,
  no_running_turn: 409,
  not_allowed: 403,
  insight_failed: 503,
  not_found: 404,
  nothing_to_fork: 409,
  over_budget: 409,
  process_busy: 409,
  queue_full: 429,
  sandbox_unavailable: 503,
  session_ended: 409,
  session_held: 409,
  shutting_down: 503,
  store_unavailable: 503,
  thread_in_use: 409,
  too_many_calls: 429,
  too_many_hops: 409,
  too_many_notices: 429,
  too_many_starts: 429,
  transcript_unreadable: 503,
  unauthorized: 401,
  unknown_agent: 404,
  unknown_permission: 404,
  unknown_session: 404,
  unknown_team: 404,
  unknown_turn: 404,
  waits_for_itself: 409,
}

/** A refusal in the form of RFC 9457, with Iris's code and remedy. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string().describe('What happened, and why'),
  code: z.string(),
  remedy: z.string().describe('What to do about it'),
  firstCursor: z.string().optional().describe('Of cursor_unknown: the first cursor of GET /api/events to read from'),
  retryAfterMs: z.number().optional().describe('Milliseconds after which the same call may succeed'),
})
type Problem = z.input<typeof Problem>

const shownAt = 'GET /api lists the addresses.'

/** The error as a problem of RFC 9457, with Iris's code, remedy and `retryAfterMs`. */
export function problemOf(error: unknown): Response {
  const { status, headers, refusal } = refusalOf(error)
  // Only under /api, because MCP clients would otherwise look for OAuth.
  if (status === 401) headers.set('www-authenticate', 'Bearer realm="iris"')
  return asProblem(status, headers, refusal)
}

/** Answers with status 405, because the address exists, but not for this method. */
export function wrongMethod(method: string, allowed: readonly string[]): Response {
  const message = `This address takes ${allowed.join(' and ')}, not ${method}.`
  const { headers, refusal } = refusalOf(new IrisError('invalid_input', message, shownAt))
  headers.set('allow', allowed.join(', '))
  return asProblem(405, headers, refusal)
}

function asProblem(status: number, headers: Headers, refusal: ReturnType<IrisError['toJSON']>): Response {
  const { code, message, retryAfterMs, firstCursor } = refusal
  const remedy = refusal.remedy.replace('the tool description says', 'GET /api says')
  headers.set('content-type', 'application/problem+json')
  const [type, title] = [`urn:iris:error:${code}`, code.replaceAll('_', ' ')]
  const body: Problem = { type, title, status, detail: message, code, remedy, retryAfterMs, firstCursor }
  return new Response(JSON.stringify(body), { status, headers })
}

/** The error as `{ error }`, for every address outside `/api`. */
export function errorOf(error: unknown): Response {
  const { status, headers, refusal } = refusalOf(error)
  return Response.json({ error: refusal }, { status, headers })
}

/** When to try again while Iris is stopping or its store is unavailable, unless the refusal itself names a time. */
const usualRetryMs = 5000

function refusalOf(error: unknown) {
  const refused = toIrisError(error).toJSON()
  const status = statuses[refused.code] ?? 400
  const retryAfterMs = refused.retryAfterMs ?? (status === 503 ? usualRetryMs : undefined)
  const headers = new Headers()
  if (retryAfterMs === undefined) return { refusal: refused, headers, status }
  headers.set('retry-after', String(Math.ceil(retryAfterMs / 1000)))
  return { refusal: Object.assign(refused, { retryAfterMs }), headers, status }
}

export function notFound(): IrisError {
  return new IrisError('not_found', 'There is nothing at this address.', shownAt)
}
