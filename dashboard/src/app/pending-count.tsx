import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useOperation } from '../shared/api/use-operation.ts'
import { needsSum } from '../shared/format/needs.ts'
import { usePending } from '../shared/questions/use-pending.ts'
import { titleWaiting } from '../shared/ui/page-title.ts'
import { texts } from './texts.ts'

/** How many conversations need a person: those that the inbox lists first. */
export function NeedsCount() {
  const { data } = useOperation('get_inbox', { limit: 1 })
  const count = data === undefined ? 0 : needsSum(data.needs)
  useEffect(() => titleWaiting(count), [count])
  return <Count count={count} what={texts.needYou} />
}

/**
 * The link to the inbox in the bar of a narrow screen, where the navigation is folded. Shown only while something needs
 * a person.
 */
export function InboxLink() {
  const { data } = useOperation('get_inbox', { limit: 1 })
  const count = data === undefined ? 0 : needsSum(data.needs)
  if (count === 0) return null
  return (
    <Link to="/" className="inline-flex min-h-10 min-w-10 items-center justify-center lg:hidden">
      <Count count={count} what={texts.needYou} />
    </Link>
  )
}

/** How many questions wait for a person. */
export function PendingCount() {
  const { data } = usePending()
  return <Count count={data?.permissions.length ?? 0} what={texts.waiting} />
}

function Count({ count, what }: { readonly count: number; readonly what: string }) {
  if (count === 0) return null
  return (
    <span className="bg-bad text-page rounded-full px-2 text-xs font-semibold">
      {count}
      <span className="sr-only"> {what}</span>
    </span>
  )
}
