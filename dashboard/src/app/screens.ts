import type { IconName } from '../shared/ui/icon.tsx'
import type { texts } from './texts.ts'

/** The screens, in the order in which they are listed. */
export const screens = [
  { to: '/', icon: 'inbox' },
  { to: '/switchboard', icon: 'switchboard' },
  { to: '/conversations', icon: 'conversations' },
  { to: '/chat', icon: 'chat' },
  { to: '/traces', icon: 'traces' },
  { to: '/permissions', icon: 'permissions' },
  { to: '/channels', icon: 'channels' },
  { to: '/hosts', icon: 'hosts' },
  { to: '/logs', icon: 'logs' },
  // `/health` is the daemon's own health check.
  { to: '/daemon', icon: 'health' },
  { to: '/statistics', icon: 'statistics' },
  { to: '/insight', icon: 'insight' },
  { to: '/configuration', icon: 'configuration' },
  { to: '/debug', icon: 'debug' },
] as const satisfies readonly { to: string; icon: IconName & keyof typeof texts.screenNames }[]
