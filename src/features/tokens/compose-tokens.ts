import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { homePaths } from '../../platform/config/home.ts'
import { Tokens } from './tokens.ts'

/** `keyIn` returns the secret of a file, which it makes if there is none. */
export function composeTokens(
  { tokens: file, tokenKey }: Pick<ReturnType<typeof homePaths>, 'tokens' | 'tokenKey'>,
  keyIn: (path: string, log: Log) => string,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Tokens {
  return new Tokens({ file, key: () => keyIn(tokenKey, log), clock, log: log.for('http') })
}
