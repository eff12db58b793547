import type { WaitsFor } from './waits-for.ts'

type RetryLine = Readonly<Record<string, unknown>>

/**
 * Describes a request that the model's API refused, from Claude Code's line about it. Claude Code repeats the request
 * for minutes.
 */
export function apiRefusal(line: RetryLine): Pick<WaitsFor, 'what' | 'remedy'> {
  const status = line['error_status']
  const isOfLogin = status === 401 || status === 403
  return {
    what: `The model's API refuses (${refusalIn(line)}); Claude Code tries again, ${tryIn(line)}`,
    remedy: isOfLogin
      ? 'check the login: run claude in its project, then /login'
      : 'wait; Claude Code retries automatically',
  }
}

export function refusalIn(line: RetryLine): string {
  return `${line['error_status'] === null ? 'no answer' : said(line['error_status'])}, ${said(line['error'])}`
}

export function tryIn(line: RetryLine): string {
  return `try ${said(line['attempt'])} of ${said(line['max_retries'])}`
}

function said(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'unknown'
}
