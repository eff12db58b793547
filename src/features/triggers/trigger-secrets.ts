import type { Secrets } from '../../base/lib/secrets.ts'
import { channelToken } from '../../platform/config/channel-token.ts'
import type { TriggerConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/home.ts'

/** The least number of characters. A shorter secret could be guessed offline from one signed request. */
const minSecret = 24

/** The secrets in these files, and why a file has no secret. */
export async function secretsIn({ secretFile }: Pick<TriggerConfig, 'secretFile'>, home: string, env: Environment) {
  const found = await Promise.all([secretFile].flat().map((tokenFile) => channelToken({ tokenFile }, home, env)))
  const problems = found.flatMap((one) => {
    if ('problem' in one) return [one.problem]
    return one.token.length < minSecret ? [`a secret has fewer than ${minSecret} characters`] : []
  })
  const secrets = found.flatMap((one) => ('token' in one && one.token.length >= minSecret ? [one.token] : []))
  return { secrets, problems }
}

/** Reads the secrets of triggers at each request, so that a replaced file takes effect at once. */
export class TriggerSecrets {
  readonly #parts: { readonly home: string; readonly env: Environment; readonly hidden: Pick<Secrets, 'add'> }
  readonly #noted = new Set<string>()

  constructor(parts: { readonly home: string; readonly env: Environment; readonly hidden: Pick<Secrets, 'add'> }) {
    this.#parts = parts
  }

  /** None for an unknown trigger. */
  async of(trigger: TriggerConfig | undefined): Promise<readonly string[]> {
    if (trigger === undefined) return []
    const { secrets } = await secretsIn(trigger, this.#parts.home, this.#parts.env)
    const fresh = secrets.filter((secret) => !this.#noted.has(secret))
    if (fresh.length > 0) this.#parts.hidden.add(fresh)
    for (const secret of fresh) this.#noted.add(secret)
    return secrets
  }
}
