import type { Secrets } from '../../base/lib/secrets.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { channelToken } from '../../platform/config/channel-token.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/home.ts'

interface AccountLoginParts {
  /** Iris's home. */
  readonly home: string
  readonly environment: Environment
  readonly secrets: Pick<Secrets, 'add'>
}

/**
 * The variables with which the team's process uses the team's account: the token that is currently in the account's
 * `tokenFile`. Empty if the account has no such file. Throws `account_unusable`.
 */
export async function accountLogin(
  { name, account }: TeamConfig,
  { home, environment, secrets }: AccountLoginParts,
): Promise<Readonly<Record<string, string>>> {
  const { tokenFile } = account ?? {}
  if (tokenFile === undefined) return {}
  // `channelToken` reads any token file, not only a channel's.
  const found = await channelToken({ tokenFile }, home, environment)
  if ('problem' in found) {
    const what = `The account of team "${name}" cannot be used: ${found.problem}.`
    throw new IrisError('account_unusable', what, tokenRemedy)
  }
  secrets.add([found.token])
  return { CLAUDE_CODE_OAUTH_TOKEN: found.token }
}

const tokenRemedy = 'Correct account in config.yaml, or write the token that "claude setup-token" prints into the file.'

/**
 * What a person should do if the API refuses a team's login. `tokenFile`: the token file of the team's account, if the
 * account has one.
 */
export function loginAdvice(tokenFile: string | undefined): string {
  if (tokenFile === undefined) return 'Run "claude" on the machine of the team, then /login.'
  return `Write a new token, which "claude setup-token" prints, into ${tokenFile}.`
}
