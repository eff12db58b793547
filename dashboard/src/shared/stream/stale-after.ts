import type { IrisEvent } from '../../../../src/protocol/event.ts'
import type { OperationName } from '../../../../src/protocol/operations/index.ts'

const sessions: readonly OperationName[] = ['team_status', 'list_sessions']
const turns: readonly OperationName[] = [...sessions, 'session_report', 'session_stats', 'list_turns']
const permissions: readonly OperationName[] = ['list_permissions', 'team_status']
const config: readonly OperationName[] = ['list_teams', 'team_status', 'get_switchboard']
/** What the switchboard shows of sessions comes with the events themselves; these tell of many at once. */
const found: readonly OperationName[] = [...sessions, 'get_switchboard']

/** After which event which operations may say something else. The one place that knows. */
const table: Readonly<Partial<Record<IrisEvent['type'], readonly OperationName[]>>> = {
  'process-spawned': sessions,
  'process-exited': sessions,
  'process-error': sessions,
  'process-terminated': sessions,
  'breaker-opened': sessions,
  'breaker-closed': sessions,
  'config-reloaded': config,
  'config-rejected': config,
  'sessions-discovered': found,
  'store-rebuilt': found,
  'session-created': sessions,
  'session-archived': turns,
  'session-restored': sessions,
  'session-compacted': sessions,
  'session-held': sessions,
  'session-released': sessions,
  'turn-accepted': turns,
  'turn-delivered': turns,
  'turn-settled': turns,
  'permission:request': permissions,
  'permission:resolved': permissions,
  'permission:timeout': permissions,
}

export function staleAfter(type: string): readonly OperationName[] {
  return table[type as IrisEvent['type']] ?? []
}
