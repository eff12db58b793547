import type { Config } from '../../platform/config/config.ts'
import { workingTeam } from '../../platform/config/former-teams.ts'
import type { DeliveryLimits } from './deliver.ts'

/**
 * The getters read the configuration each time, so that a saved change applies to running turns too. Only `firstSignMs`
 * is fixed. `isFirst`: the session has never answered.
 */
export function limitsOf(config: () => Config, team: string, isFirst: boolean): DeliveryLimits {
  return {
    get responseTimeoutMs() {
      return config().settings.responseTimeout
    },
    get maxSilenceMs() {
      return config().settings.maxSilence
    },
    get backgroundTimeoutMs() {
      return backgroundTimeoutOf(config(), team)
    },
    firstSignMs: isFirst ? config().settings.sessionInitTimeout : undefined,
  }
}

export function backgroundTimeoutOf(config: Config, team: string): number {
  return workingTeam(config, team)?.backgroundTimeout ?? config.settings.backgroundTimeout
}
