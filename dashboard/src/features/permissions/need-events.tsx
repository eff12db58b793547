import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useCallback, useEffect } from 'react'
import type { StreamFrame } from '../../../../src/adapters/client/event-stream.ts'
import type { PermissionView } from '../../../../src/features/permission/contract/permissions.ts'
import type { SwitchboardSession } from '../../../../src/views/switchboard/contract.ts'
import { takeEvent } from '../../shared/questions/use-pending.ts'
import { useFrames } from '../../shared/stream/live-provider.tsx'
import { notify, onNotificationClick } from './browser-notification.ts'
import { failureNews, questionNews } from './news.ts'

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
        if (news) void notify(news, open)
      }
      if (!type.startsWith('permission:')) return
      const event = data as { permission: PermissionView; at: number }
      takeEvent(queries, event)
      if (type === 'permission:request') void notify(questionNews(event.permission), open)
    },
    [queries, open],
  )
  useFrames(take)
  return null
}
