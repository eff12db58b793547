import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { InboxScreen } from '../features/inbox/inbox-screen.tsx'
import { NotFound } from './not-found.tsx'
import { ScreenTrouble } from './screen-trouble.tsx'
import { Shell } from './shell.tsx'

interface SwitchboardSearch {
  readonly team?: string
  readonly state?: string
  readonly find?: string
  readonly archived?: string
  /** The column to sort by; with a minus before its name, the largest value comes first. */
  readonly sort?: string
}

interface LogSearch {
  readonly level?: string
  readonly team?: string
  readonly part?: string
  readonly session?: string
  readonly text?: string
}

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: ScreenTrouble })

const inbox = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: (search): { readonly place?: string; readonly find?: string } => textsOf(search, 'place', 'find'),
  component: InboxScreen,
})

const switchboard = createRoute({
  getParentRoute: () => rootRoute,
  path: '/switchboard',
  validateSearch: (search): SwitchboardSearch => textsOf(search, 'team', 'state', 'find', 'archived', 'sort'),
  component: lazyRouteComponent(() => import('../features/switchboard/switchboard-screen.tsx'), 'SwitchboardScreen'),
})

const conversations = createRoute({
  getParentRoute: () => rootRoute,
  path: '/conversations',
  validateSearch: (search): { readonly query?: string } => textsOf(search, 'query'),
  component: lazyRouteComponent(
    () => import('../features/conversation/conversations-screen.tsx'),
    'ConversationsScreen',
  ),
})

const conversation = createRoute({
  getParentRoute: () => rootRoute,
  path: '/conversations/$sessionId',
  /** The turn to begin at, and the words to mark in it. */
  validateSearch: (search): { readonly turn?: string; readonly find?: string } => textsOf(search, 'turn', 'find'),
  component: lazyRouteComponent(() => import('../features/conversation/conversation-screen.tsx'), 'ConversationScreen'),
})

const chat = createRoute({
  getParentRoute: () => rootRoute,
  path: '/chat',
  component: lazyRouteComponent(() => import('../features/chat/chat-screen.tsx'), 'ChatScreen'),
})

const channels = createRoute({
  getParentRoute: () => rootRoute,
  path: '/channels',
  component: lazyRouteComponent(() => import('../features/channels/channels-screen.tsx'), 'ChannelsScreen'),
})

const hosts = createRoute({
  getParentRoute: () => rootRoute,
  path: '/hosts',
  component: lazyRouteComponent(() => import('../features/hosts/hosts-screen.tsx'), 'HostsScreen'),
})

const traces = createRoute({
  getParentRoute: () => rootRoute,
  path: '/traces',
  validateSearch: (search): { readonly team?: string; readonly status?: string; readonly cursor?: string } =>
    textsOf(search, 'team', 'status', 'cursor'),
  component: lazyRouteComponent(() => import('../features/trace/traces-screen.tsx'), 'TracesScreen'),
})

const trace = createRoute({
  getParentRoute: () => rootRoute,
  path: '/traces/$turnId',
  component: lazyRouteComponent(() => import('../features/trace/trace-screen.tsx'), 'TraceScreen'),
})

const permissions = createRoute({
  getParentRoute: () => rootRoute,
  path: '/permissions',
  /** The question to begin at. */
  validateSearch: (search): { readonly question?: string } => textsOf(search, 'question'),
  component: lazyRouteComponent(() => import('../features/permissions/permissions-screen.tsx'), 'PermissionsScreen'),
})

const logs = createRoute({
  getParentRoute: () => rootRoute,
  path: '/logs',
  validateSearch: (search): LogSearch => textsOf(search, 'level', 'team', 'part', 'session', 'text'),
  component: lazyRouteComponent(() => import('../features/logs/logs-screen.tsx'), 'LogsScreen'),
})

const health = createRoute({
  getParentRoute: () => rootRoute,
  path: '/daemon',
  component: lazyRouteComponent(() => import('../features/health/health-screen.tsx'), 'HealthScreen'),
})

const statistics = createRoute({
  getParentRoute: () => rootRoute,
  path: '/statistics',
  validateSearch: (search): { readonly span?: string; readonly team?: string } => textsOf(search, 'span', 'team'),
  component: lazyRouteComponent(() => import('../features/statistics/statistics-screen.tsx'), 'StatisticsScreen'),
})

const insight = createRoute({
  getParentRoute: () => rootRoute,
  path: '/insight',
  component: lazyRouteComponent(() => import('../features/insight/insight-screen.tsx'), 'InsightScreen'),
})

const configuration = createRoute({
  getParentRoute: () => rootRoute,
  path: '/configuration',
  component: lazyRouteComponent(
    () => import('../features/configuration/configuration-screen.tsx'),
    'ConfigurationScreen',
  ),
})

const debug = createRoute({
  getParentRoute: () => rootRoute,
  path: '/debug',
  validateSearch: ({ session }: Record<string, unknown>): { session?: string } =>
    typeof session === 'string' ? { session } : {},
  component: lazyRouteComponent(() => import('../features/debug/debug-screen.tsx'), 'DebugScreen'),
})

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    inbox,
    switchboard,
    conversations,
    conversation,
    chat,
    traces,
    trace,
    permissions,
    channels,
    hosts,
    logs,
    health,
    statistics,
    insight,
    configuration,
    debug,
  ]),
  defaultPreload: 'intent',
})

/** The fields of an address that have a value, as text, because the router parses a search for a number as a number. */
function textsOf<Name extends string>(search: Record<string, unknown>, ...names: Name[]): { [Key in Name]?: string } {
  const given = names.filter((name) => search[name] !== undefined && search[name] !== '')
  return Object.fromEntries(given.map((name) => [name, String(search[name])])) as { [Key in Name]?: string }
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
