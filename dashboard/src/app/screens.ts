import type { IconName } from '../shared/ui/icon.tsx'

/** The screens, in the order in which they are listed. */
export const screens = [
  { to: '/', name: 'Inbox', icon: 'inbox' },
  { to: '/switchboard', name: 'Switchboard', icon: 'switchboard' },
  { to: '/conversations', name: 'Conversations', icon: 'conversations' },
  { to: '/chat', name: 'Chat', icon: 'chat' },
  { to: '/traces', name: 'Traces', icon: 'traces' },
  { to: '/permissions', name: 'Permissions', icon: 'permissions' },
  { to: '/channels', name: 'Channels', icon: 'channels' },
  { to: '/hosts', name: 'Hosts', icon: 'hosts' },
  { to: '/logs', name: 'Logs', icon: 'logs' },
  // `/health` is the daemon's own sign of life.
  { to: '/daemon', name: 'Health', icon: 'health' },
  { to: '/statistics', name: 'Statistics', icon: 'statistics' },
  { to: '/insight', name: 'Insight', icon: 'insight' },
  { to: '/configuration', name: 'Configuration', icon: 'configuration' },
  { to: '/debug', name: 'Debug', icon: 'debug' },
] as const satisfies readonly { to: string; name: string; icon: IconName }[]
