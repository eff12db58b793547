import { Logins } from '../../adapters/http/dashboard/logins.ts'
import { Tokens } from '../../features/tokens/tokens.ts'
import type { homePaths } from '../../platform/config/home.ts'
import { secretsOf } from '../../platform/config/secrets-of.ts'
import { credentialIn } from './credential-file.ts'
import type { Surroundings } from './surroundings.ts'

/** The credentials for this daemon: the tokens of programs and of the owner, and the owner's browsers. */
export interface Keys {
  readonly program: string
  readonly owner: string
  readonly logins: Logins
  /** The tokens of programs that have a token of their own. */
  readonly tokens: Tokens
  /**
   * Call it for a changed configuration: reads the new secrets, and ends logins at a public address that is no longer
   * configured.
   */
  settingsChanged(): void
}

export function keysOf(
  paths: Pick<ReturnType<typeof homePaths>, 'token' | 'owner' | 'logins' | 'tokens' | 'tokenKey'>,
  { live, clock, log, secrets, env }: Pick<Surroundings, 'live' | 'clock' | 'log' | 'secrets' | 'env'>,
): Keys {
  const [program, owner] = [credentialIn(paths.token, log), credentialIn(paths.owner, log)]
  secrets.add([program, owner])
  const logins = new Logins({ file: paths.logins, ownerCredential: owner, clock, log: log.for('http') })
  const tokens = new Tokens({
    file: paths.tokens,
    key: () => credentialIn(paths.tokenKey, log),
    clock,
    log: log.for('http'),
  })
  const settingsChanged = (): void => {
    secrets.add(secretsOf(live.current(), env))
    logins.endOtherPublicAddresses(live.current().settings.publicUrl)
    tokens.leaveAddress(live.current().settings.publicUrl)
  }
  settingsChanged()
  return { program, owner, logins, tokens, settingsChanged }
}
