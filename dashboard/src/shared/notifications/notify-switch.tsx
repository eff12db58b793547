import { lazy, Suspense, useState } from 'react'
import { texts } from './texts.ts'
import { canNotify, wishesNotifications, wishNotifications } from './wish.ts'

const QuietHours = lazy(async () => ({ default: (await import('./quiet-hours-fields.tsx')).QuietHours }))

export function NotifySwitch() {
  const [isOn, setOn] = useState(wishesNotifications)
  const [isRefused, setRefused] = useState(() => !canNotify())
  const change = async (): Promise<void> => {
    setOn(await wishNotifications(!isOn))
    setRefused(!canNotify())
  }
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <label className="inline-flex items-center gap-2">
        <input type="checkbox" checked={isOn} disabled={isRefused} onChange={() => void change()} />
        {isRefused ? texts.thisBrowserDoesNot : texts.desktopNotifications}
      </label>
      <Suspense>{isOn && <QuietHours />}</Suspense>
    </div>
  )
}
