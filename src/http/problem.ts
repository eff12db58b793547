import { type ErrorCode, IrisError, toIrisError } from '../protocol/error.ts'

/** Codes that are not simply a bad request. */
const statuses: Partial<Record<ErrorCode, number>> = {
  already_running: 409,
  breaker_open: 503,
  from_mismatch: 403,
  internal: 500,
  message_too_long: 413,
  no_free_process: 503,
  no_running_turn: 409,
  not_allowed: 403,
  not_found: 404,
  nothing_to_fork: 409,
  process_busy: 409,
  queue_full: 429,
  session_ended: 409,
  session_held: 409,
  shutting_down: 503,
  store_unavailable: 503,
  thread_in_use: 409,
  too_many_calls: 429,
  too_many_hops: 409,
  too_many_notices: 429,
  unauthorized: 401,
  unknown_agent: 404,
  unknown_session: 404,
  unknown_team: 404,
  unknown_turn: 404,
  waits_for_itself: 409,
}

function statusOf(code: ErrorCode): number {
  return statuses[code] ?? 400
}

/** RFC 9457: what is wrong in a sentence, with the code and the remedy beside it. */
export function problemOf(error: unknown): Response {
  const told = toIrisError(error)
  const { code, message, remedy, retryAfterMs } = told.toJSON()
  const status = statusOf(code)
  const type = `urn:iris:error:${code}`
  const headers = new Headers({ 'content-type': 'application/problem+json' })
  if (retryAfterMs !== undefined) headers.set('retry-after', String(Math.ceil(retryAfterMs / 1000)))
  const title = code.replaceAll('_', ' ')
  const body = { type, title, status, detail: message, code, remedy, retryAfterMs }
  return new Response(JSON.stringify(body), { status, headers })
}

export function notFound(): IrisError {
  return new IrisError('not_found', 'There is nothing at this address.', 'GET /api shows what there is.')
}
