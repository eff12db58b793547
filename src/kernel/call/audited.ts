import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import { sha256 } from '../../base/lib/sha256.ts'
import { mainThread, pairText } from '../../base/protocol/pair.ts'
import { contracts, type OperationName } from '../../features/contracts.ts'
import type { AuditEntry } from '../session/audit-entry.ts'
import type { AuthContext } from './call.ts'
import { isRestricted } from './policy.ts'
import { actorOf } from './principal.ts'

/**
 * These are recorded elsewhere: messages in the ledger, notices and late answers in their own tables, and answers to
 * questions by `Questions`.
 */
const recordedElsewhere: ReadonlySet<string> = new Set([
  'send_message',
  'ask_message',
  'quick_message',
  'invoke_agent',
  'notify',
  'viewer_send',
  'answer_permission',
  'late_answers',
])

export function isAudited(name: OperationName): boolean {
  return !contracts[name].readOnly && !recordedElsewhere.has(name)
}

/** The audit entry for a call that is about to run. */
export function auditEntry(name: OperationName, input: unknown, auth: AuthContext): Omit<AuditEntry, 'at'> {
  const { principal, team } = auth
  return {
    actor: actorOf(principal),
    action: name,
    subject: subjectOf(input, team),
    decision: 'allowed',
    inputHash: sha256(canonicalJson(input)),
    ...(!isRestricted(principal) && team !== undefined && { detail: { as: team } }),
  }
}

const maxName = 200

/** Fields that name the object of a call. If a call has several, the first in this list is used. */
const subjectFields = [
  'permissionId',
  'turnId',
  'sessionId',
  'loginId',
  'suggestionId',
  'grant',
  'program',
  'callback',
  'channel',
  'host',
]

/** The object of a call, read from its unchecked input: an id, a name, a pair or `all`. */
function subjectOf(input: unknown, team: string | undefined): string {
  const given = isRecord(input) ? input : {}
  const text = (name: string): string | undefined => {
    const value = given[name]
    return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, maxName) : undefined
  }
  const [named] = subjectFields.flatMap((name) => text(name) ?? [])
  if (named !== undefined) return named
  const to = text('team') ?? text('toTeam')
  if (to === undefined) return 'all'
  return pairText({ from: text('fromTeam') ?? team ?? 'external', to, thread: text('thread') ?? mainThread })
}
