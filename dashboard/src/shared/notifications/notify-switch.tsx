import { useState } from 'react'
import { canNotify, wishesNotifications, wishNotifications } from './browser-notification.ts'
import { keepQuietHours, quietHours } from './quiet-hours.ts'
import { texts } from './texts.ts'

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
      {isOn && <Quiet />}
    </div>
  )
}

/** The hours in which notifications make no sound. */
function Quiet() {
  const [hours, setHours] = useState(quietHours)
  const field = (which: 'from' | 'to') => (
    <label className="inline-flex items-center gap-1">
      {texts.quiet[which]}
      <input
        type="time"
        className="border-line bg-page rounded border px-1"
        value={hours[which]}
        onChange={({ target }) => {
          const next = { ...hours, [which]: target.value }
          setHours(next)
          keepQuietHours(next)
        }}
      />
    </label>
  )
  return (
    <>
      {field('from')}
      {field('to')}
    </>
  )
}
