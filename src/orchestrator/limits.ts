import type { Config } from '../config/config.ts'
import type { SilenceLimits } from './silence.ts'

/** Read anew at each look: a saved configuration counts for running turns too. `isFirst`: of a session that never spoke. */
export function limitsOf(config: () => Config, isFirst: boolean): SilenceLimits {
  return {
    get responseTimeoutMs() {
      return config().settings.responseTimeout
    },
    get maxSilenceMs() {
      return config().settings.maxSilence
    },
    firstSignMs: isFirst ? config().settings.sessionInitTimeout : undefined,
  }
}
