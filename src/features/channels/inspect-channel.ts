import type { ChannelConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/home.ts'
import { chatAdapter } from './chat-adapter.ts'
import type { Inspected } from './view.ts'

interface Around {
  readonly home: string
  readonly env: Environment
  readonly now: () => number
  readonly addSecrets?: (secrets: readonly string[]) => void
}

/** The longest wait for a platform's answers about a bot, in milliseconds. */
const inspectionMs = 20_000

/** Asks the platform about the bot of a channel; no message is received. */
export async function inspectChannel(channel: ChannelConfig, { addSecrets, ...around }: Around): Promise<Inspected> {
  const found = await chatAdapter(channel, around)
  if ('problem' in found) return { isValid: false, why: found.problem, missing: [] }
  addSecrets?.(found.secrets)
  try {
    return { isValid: true, ...(await found.adapter.inspect(AbortSignal.timeout(inspectionMs))) }
  } catch (error) {
    return { isValid: false, why: found.adapter.problem(error).state.why, missing: [] }
  }
}
