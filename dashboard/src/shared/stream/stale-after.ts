import type { IrisEvent } from '../../../../src/base/protocol/event.ts'
import type { OperationName } from '../../../../src/features/contracts.ts'

const sessions: readonly OperationName[] = ['team_status', 'list_sessions', 'debug_session']
const turns: readonly OperationName[] = [...sessions, 'session_report', 'session_turns', 'session_stats', 'list_turns']
const permissions: readonly OperationName[] = ['list_permissions', 'list_rules', 'team_status', 'list_turns']
const config: readonly OperationName[] = [
  ...(['list_teams', 'team_status', 'get_switchboard', 'get_health', 'get_inbox'] as const),
  ...(['get_config', 'check_config', 'debug_session', 'list_rules'] as const),
]
const processes: readonly OperationName[] = [...sessions, 'get_health']
const links: readonly OperationName[] = [...sessions, 'list_teams', 'get_switchboard', 'get_health', 'get_inbox']
/** Events about single sessions contain what the switchboard shows, but these events concern many sessions at once. */
const found: readonly OperationName[] = [...sessions, 'get_switchboard', 'get_health']

/** For each event, the operations whose results may change. No other place knows this. */
const table: Readonly<Partial<Record<IrisEvent['type'], readonly OperationName[]>>> = {
  // A team's machine was reached: the switchboard shows that.
  'process-spawned': [...processes, 'get_switchboard'],
  'process-exited': processes,
  'process-error': processes,
  'process-terminated': processes,
  'link-lost': links,
  'link-restored': links,
  'breaker-opened': processes,
  'breaker-closed': processes,
  'health-check': ['get_health'],
  'config-reloaded': config,
  'config-rejected': config,
  'claude-changed': ['team_status', 'get_health'],
  'sessions-discovered': found,
  'turns-pruned': found,
  'store-rebuilt': found,
  'session-created': sessions,
  'session-archived': turns,
  'session-restored': sessions,
  'session-compacted': sessions,
  'session-held': sessions,
  'session-released': sessions,
  'turn-accepted': turns,
  'turn-steered': turns,
  'turn-waits': turns,
  'account-limited': [...turns, 'list_teams', 'get_switchboard', 'get_health', 'get_inbox'],
  'turn-reported': turns,
  'turn-delivered': turns,
  'turn-settled': [...turns, 'stats_over_time'],
  'session-changed': ['get_inbox', 'list_inbox', 'get_health'],
  'inbox-changed': ['get_inbox', 'list_inbox', 'get_health'],
  'answers-drifted': ['session_turns', 'list_drift'],
  'suggestion-decided': ['reflect'],
  'schedules-changed': ['list_schedules'],
  'fault-found': ['list_healings'],
  'fault-healed': ['list_healings'],
  'failure-dismissed': ['session_turns'],
  'permission:request': permissions,
  'permission:resolved': permissions,
  'permission:timeout': permissions,
}

export function staleAfter(type: string): readonly OperationName[] {
  return table[type as IrisEvent['type']] ?? []
}
