import type { EventTexts } from '../../kernel/call/event-texts.ts'
import type { ConfigurationEvents } from './contract.ts'

/** The log and audit entries for this feature's events. */
export const configurationEvents: EventTexts<keyof ConfigurationEvents> = {
  'config-reloaded': {
    log: ({ teamsAdded, teamsRemoved, keys, needsRestart }) => ({
      context: 'config',
      level: needsRestart.length > 0 ? 'warn' : 'info',
      message:
        needsRestart.length > 0
          ? `config.yaml reloaded; restart Iris (iris restart) for ${needsRestart.join(', ')}`
          : 'config.yaml reloaded',
      ids: { teamsAdded, teamsRemoved, keys },
    }),
    audit: ({ teamsAdded, teamsRemoved, keys, needsRestart }) => ({
      ...ofConfig,
      action: 'config.reloaded',
      decision: 'allowed',
      detail: { teamsAdded, teamsRemoved, keys, needsRestart },
    }),
  },
  'config-rejected': {
    log: ({ text }) => ({
      context: 'config',
      level: 'error',
      message: `config.yaml rejected, the previous one stays in use. ${text}`,
      ids: {},
    }),
    audit: ({ problems }) => ({
      ...ofConfig,
      action: 'config.rejected',
      decision: 'config_invalid',
      detail: { keys: problems.map(({ key }) => key) },
    }),
  },
}

const ofConfig = { subject: 'config.yaml' } as const
