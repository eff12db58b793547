import type { LogLevel } from '../../base/lib/log.ts'
import type { PermissionView } from '../../base/protocol/permission-view.ts'
import { type EventTexts, type LogLine } from '../../kernel/call/event-texts.ts'
import type { PermissionEvents } from './contract/events.ts'

/** The log and audit entries for this feature's events. */
export const permissionEvents: EventTexts<keyof PermissionEvents> = {
  'permission:request': {
    log: ({ permission }) => ofQuestion(permission, 'info', 'Permission asked'),
  },
  'permission:resolved': {
    log: ({ permission }) => ofQuestion(permission, 'info', answers[permission.state]),
  },
  'permission:timeout': {
    log: ({ permission }) => ofQuestion(permission, 'warn', answers.timed_out),
  },
}

const answers: Readonly<Record<PermissionView['state'], string>> = {
  pending: 'Permission asked',
  allowed: 'Permission given',
  denied: 'Permission refused',
  timed_out: 'Permission refused, nobody answered in time',
  ended: 'Permission no longer needed',
}

/** The tool and who decided. Its input is only in the audit and in the question. */
function ofQuestion(permission: PermissionView, level: LogLevel, message: string): LogLine {
  const { permissionId, from, team, sessionId, turnId, toolName, decidedBy, decidedAt, askedAt, scope } = permission
  const decided = decidedAt !== null && { decidedBy, ...(scope && { scope }), waitedMs: decidedAt - askedAt }
  const ids = { pair: `${from}→${team}`, sessionId, ...(turnId !== null && { turnId }), permissionId, ...decided }
  return { context: 'permission', level, message: `${message}: ${toolName}`, ids }
}
