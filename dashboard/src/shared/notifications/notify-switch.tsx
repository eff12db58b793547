import { useState } from 'react'
import { canNotify, wishesNotifications, wishNotifications } from './browser-notification.ts'
import { texts } from './texts.ts'

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
      {isRefused ? texts.thisBrowserDoesNot : texts.desktopNotifications}
    </label>
  )
}
