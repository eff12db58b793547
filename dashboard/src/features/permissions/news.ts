import { isFailure, needOf } from '../../../../src/base/protocol/standing.ts'
import type { PermissionView } from '../../../../src/features/permission/contract/permissions.ts'
import type { SwitchboardSession } from '../../../../src/views/switchboard/contract.ts'
import { askerName } from '../../shared/format/asker.ts'
import { wantsText } from '../../shared/questions/decided-text.ts'
import { texts } from './texts.ts'

/** What a notification says. What a tool would do, and what was written, is not shown outside the page. */
export interface News {
  /** The same news is shown once. */
  readonly tag: string
  readonly title: string
  readonly body: string
  /** The page that a click opens. */
  readonly path: string
}

export function questionNews({ permissionId, chain, ...use }: PermissionView): News {
  return {
    tag: permissionId,
    title: wantsText(use),
    body: texts.newsAskedBy(chain.map(askerName).join(' → ')),
    path: `/permissions?question=${encodeURIComponent(permissionId)}`,
  }
}

/** Older failures are in the inbox already. */
const recentMs = 60_000

/** Of a conversation whose last message has just failed; undefined: it needs nobody, or has failed before. */
export function failureNews({ session }: { readonly session: SwitchboardSession }, now = Date.now()): News | undefined {
  const { sessionId, from, to, lastTurn } = session
  if (lastTurn === undefined || !isFailure(lastTurn) || needOf(session) !== 'failed') return undefined
  if (now - (lastTurn.settledAt ?? now) > recentMs) return undefined
  return {
    tag: lastTurn.turnId,
    title: texts.newsOfFailure(to),
    body: texts.newsAskedBy(askerName(from)),
    path: `/conversations/${sessionId}?turn=${encodeURIComponent(lastTurn.turnId)}`,
  }
}
