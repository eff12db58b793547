import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useCallback, useEffect } from 'react'
import type { StreamFrame } from '../../../../src/adapters/client/event-stream.ts'
import type { PermissionView } from '../../../../src/base/protocol/permission-view.ts'
import { onNotificationClick, wishesNotifications } from '../../shared/notifications/wish.ts'
import { takeEvent } from '../../shared/questions/use-pending.ts'
import { useFrames } from '../../shared/stream/live-provider.tsx'

/**
 * Part of every screen. Keeps the list of questions up to date, and notifies a person who wants notifications and is
 * looking elsewhere.
 */
export function NeedEvents() {
  const queries = useQueryClient()
  const { history } = useRouter()
  const open = useCallback((path: string) => history.push(path), [history])
  useEffect(() => onNotificationClick(open), [open])
  const take = useCallback(
    (frame: StreamFrame) => {
      if (frame.type.startsWith('permission:'))
        takeEvent(queries, frame.data as { permission: PermissionView; at: number })
      // Most people do not want notifications: the texts are loaded only for those who do.
      if (wishesNotifications())
        void import('./notify-need.ts').then(({ notifyNeed }) => notifyNeed(frame, queries, open))
    },
    [queries, open],
  )
  useFrames(take)
  return null
}
