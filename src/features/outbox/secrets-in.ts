import { channelToken } from '../../platform/config/channel-token.ts'
import type { Environment } from '../../platform/config/home.ts'
import { webhookSecret } from '../../platform/config/webhook.ts'

/** The secrets in these files, or why one of the files cannot be used. */
export async function secretsIn(
  files: readonly string[],
  home: string,
  env: Environment,
): Promise<{ readonly secrets: readonly string[] } | { readonly problem: string }> {
  const secrets: string[] = []
  for (const tokenFile of files) {
    const found = await channelToken({ tokenFile }, home, env)
    if ('problem' in found) return { problem: `its secret cannot be used: ${found.problem}` }
    const checked = webhookSecret.safeParse(found.token)
    if (!checked.success) return { problem: `the secret in ${tokenFile} ${checked.error.issues[0]?.message}` }
    secrets.push(found.token)
  }
  return { secrets }
}
