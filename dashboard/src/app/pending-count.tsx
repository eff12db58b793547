import { useEffect } from 'react'
import { usePending } from '../features/permissions/use-pending.ts'
import { titleWaiting } from '../shared/ui/page-title.ts'

/** How many questions wait for a person. */
export function PendingCount() {
  const { data } = usePending()
  const count = data?.permissions.length ?? 0
  useEffect(() => titleWaiting(count), [count])
  if (count === 0) return null
  return (
    <span className="bg-bad text-page rounded-full px-2 text-xs font-semibold">
      {count}
      <span className="sr-only"> waiting</span>
    </span>
  )
}
