import { loginAdvice } from '../pool/account-login.ts'
import type { Verdict } from '../turn/verdict.ts'

/** Claude Code gives this advice for every login, even one in a file or a variable. */
const advisesLogin = /(?:Not logged in · )?Please run \/login(?: · )?|\(Log in with claude [^)]*\)/gi

/**
 * Corrects the advice if the API refused the token of the team's token file: logging in, as Claude Code advises, does
 * not change that file.
 */
export function withLoginAdvice(verdict: Verdict, tokenFile: string | undefined): Verdict {
  if (verdict.reason !== 'api_auth' || tokenFile === undefined) return verdict
  const said = (verdict.detail ?? '').replaceAll(advisesLogin, '').trim()
  return { ...verdict, detail: [said, loginAdvice(tokenFile)].filter(Boolean).join(' ') }
}
