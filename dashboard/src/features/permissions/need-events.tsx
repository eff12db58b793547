import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useCallback, useEffect } from 'react'
import type { StreamFrame } from '../../../../src/adapters/client/event-stream.ts'
import type { PermissionView } from '../../../../src/base/protocol/permission-view.ts'
import type { SwitchboardSession } from '../../../../src/base/protocol/session-view.ts'
import { call } from '../../shared/api/operations.ts'
import { notify, onNotificationClick, wishesNotifications } from '../../shared/notifications/browser-notification.ts'
import { takeEvent } from '../../shared/questions/use-pending.ts'
import { useFrames } from '../../shared/stream/live-provider.tsx'
import { failureNews, questionNews, rowNews } from './news.ts'

/** On every screen: keeps what waits up to date, and notifies a person who wished it and looks elsewhere. */
export function NeedEvents() {
  const queries = useQueryClient()
  const { history } = useRouter()
  const open = useCallback((path: string) => history.push(path), [history])
  useEffect(() => onNotificationClick(open), [open])
  const take = useCallback(
    ({ type, data }: StreamFrame) => {
      if (type === 'session-changed') {
        const news = failureNews(data as { session: SwitchboardSession })
        if (news) notify([news], open)
      }
      // After a time without Iris nobody knows which of its news were missed.
      if ((type === 'inbox-changed' || type === 'snapshot') && wishesNotifications()) void lookAgain(queries, open)
      if (!type.startsWith('permission:')) return
      const event = data as { permission: PermissionView; at: number }
      takeEvent(queries, event)
      if (type === 'permission:request') notify([questionNews(event.permission)], open)
    },
    [queries, open],
  )
  useFrames(take)
  return null
}

/** Notifies the owner of rows that need them again: put off and now due, or expired. */
async function lookAgain(queries: QueryClient, open: (path: string) => void): Promise<void> {
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
    // Without Iris there is nothing to tell; it is looked at again when it is back.
  }
}
