import type { QueryClient } from '@tanstack/react-query'
import type { StreamFrame } from '../../../../src/adapters/client/event-stream.ts'
import type { PermissionView } from '../../../../src/base/protocol/permission-view.ts'
import type { SwitchboardSession } from '../../../../src/base/protocol/session-view.ts'
import { call } from '../../shared/api/operations.ts'
import { notify } from '../../shared/notifications/browser-notification.ts'
import { failureNews, questionNews, rowNews } from './news.ts'

type Open = (path: string) => void

/** Notifies the owner if this frame of the stream reports something that needs them. */
export function notifyNeed({ type, data }: StreamFrame, queries: QueryClient, open: Open): void {
  if (type === 'session-changed') {
    const news = failureNews(data as { session: SwitchboardSession })
    if (news) notify([news], open)
  }
  // After a lost connection, it is unknown which news was missed.
  if (type === 'inbox-changed' || type === 'snapshot') void lookAgain(queries, open)
  if (type === 'permission:request') notify([questionNews((data as { permission: PermissionView }).permission)], open)
}

/** Notifies the owner of rows that need them again: snoozed and now due, or expired. */
async function lookAgain(queries: QueryClient, open: Open): Promise<void> {
  try {
    const queryFn = () => call('list_inbox', {})
    const [{ rows }, { permissions }] = await Promise.all([
      queries.fetchQuery({ queryKey: ['list_inbox', {}], queryFn, staleTime: 0 }),
      call('list_permissions', { state: 'pending' }),
    ])
    const askedAt = new Map(permissions.map((each) => [each.permissionId, each.askedAt]))
    const news = rows.flatMap((row) => rowNews(row, askedAt))
    notify(news, open)
  } catch {
    // Without Iris there is nothing to report; the next connection checks again.
  }
}
