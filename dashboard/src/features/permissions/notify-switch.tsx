import { useState } from 'react'
import { canNotify, wishesNotifications, wishNotifications } from './browser-notification.ts'

export function NotifySwitch() {
  const [isOn, setOn] = useState(wishesNotifications)
  const [isRefused, setRefused] = useState(() => !canNotify())
  const change = async (): Promise<void> => {
    setOn(await wishNotifications(!isOn))
    setRefused(!canNotify())
  }
  return (
    <label className="inline-flex items-center gap-2">
      <input type="checkbox" checked={isOn} disabled={isRefused} onChange={() => void change()} />
      {isRefused ? 'This browser does not let Iris notify you' : 'Notify me when I look elsewhere'}
    </label>
  )
}
