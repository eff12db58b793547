import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect } from 'react'
import type { StreamFrame } from '../../../../src/adapters/client/event-stream.ts'
import type { PermissionView } from '../../../../src/base/protocol/operations/permissions.ts'
import { takeEvent } from '../../shared/questions/use-pending.ts'
import { useFrames } from '../../shared/stream/live-provider.tsx'
import { notify, onNotificationClick } from './browser-notification.ts'

/** On every screen: keeps what waits up to date, and tells a person who wished it and looks elsewhere. */
export function QuestionEvents() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const open = useCallback(
    (question: string) => void navigate({ to: '/permissions', search: { question } }),
    [navigate],
  )
  useEffect(() => onNotificationClick(open), [open])
  const take = useCallback(
    ({ type, data }: StreamFrame) => {
      if (!type.startsWith('permission:')) return
      const event = data as { permission: PermissionView; at: number }
      takeEvent(queries, event)
      if (type === 'permission:request') void notify(event.permission, open)
    },
    [queries, open],
  )
  useFrames(take)
  return null
}
