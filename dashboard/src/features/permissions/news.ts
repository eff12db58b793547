import type { PermissionView } from '../../../../src/base/protocol/permission-view.ts'
import type { SwitchboardSession } from '../../../../src/base/protocol/session-view.ts'
import { isFailure, needOf } from '../../../../src/base/protocol/standing.ts'
import type { Output } from '../../shared/api/operations.ts'
import { askerName } from '../../shared/format/asker.ts'
import type { News } from '../../shared/notifications/news.ts'
import { wantsText } from '../../shared/questions/decided-text.ts'
import { texts } from './texts.ts'

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

/**
 * The news that a conversation's last message has just failed; undefined if the conversation needs nobody, or its
 * message failed earlier.
 */
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

type Row = Output<'list_inbox'>['rows'][number]

/**
 * The news that a row needs its owner again, because a snoozed item is due or something expired. For other items the
 * list is empty, because the owner was notified when they came.
 */
export function rowNews({ session, items: [item], tier }: Row, askedAt: ReadonlyMap<string, number>): readonly News[] {
  if (tier !== 'needs' || item === undefined || item.state !== 'new') return []
  const { from, to, sessionId, lastTurn } = session
  const path = `/conversations/${sessionId}`
  const body = texts.newsAskedBy(askerName(from))
  const tag = `${item.subject} ${item.at}`
  if (item.kind === 'expired') return [{ tag, title: texts.newsOfExpired(to), body, path }]
  if (item.kind === 'question') {
    const isFirst = item.at === askedAt.get(item.permissionId ?? '')
    const title = wantsText({ team: to, toolName: item.toolName ?? '' })
    return [{ tag: isFirst ? (item.permissionId ?? tag) : tag, title, body, path }]
  }
  if (item.kind !== 'failed') return []
  const isFirst = item.at === lastTurn?.settledAt
  return [{ tag: isFirst ? (item.turnId ?? tag) : tag, title: texts.newsOfFailure(to), body, path }]
}
