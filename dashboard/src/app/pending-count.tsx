import { useOperation } from '../shared/api/use-operation.ts'

/** How many questions wait for a person. */
export function PendingCount() {
  const { data } = useOperation('list_permissions', {})
  const count = data?.permissions.length ?? 0
  if (count === 0) return null
  return (
    <span className="bg-bad text-page rounded-full px-2 text-xs font-semibold">
      {count}
      <span className="sr-only"> waiting</span>
    </span>
  )
}
