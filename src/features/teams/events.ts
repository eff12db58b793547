import type { EventTexts } from '../../kernel/call/event-texts.ts'
import type { TeamEvents } from './contract.ts'

/** The log and audit entries for this feature's events. */
export const teamEvents: EventTexts<keyof TeamEvents> = {
  'claude-changed': {
    log: ({ problem }) => ({
      context: 'claude',
      level: problem === undefined ? 'info' : 'warn',
      message: problem ?? 'Claude Code is the one that was probed',
      ids: {},
    }),
  },
}
