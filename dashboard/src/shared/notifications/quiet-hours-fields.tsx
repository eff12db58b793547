import { useState } from 'react'
import { keepQuietHours, quietHours } from './quiet-hours.ts'
import { texts } from './texts.ts'

/** The hours in which notifications make no sound. */
export function QuietHours() {
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
