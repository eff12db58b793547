import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { call, type Output, type Problem } from '../../shared/api/operations.ts'
import { texts } from './texts.ts'

const ScheduledList = lazy(async () => ({ default: (await import('./opened/scheduled-list.tsx')).ScheduledList }))

/** Messages that are sent later, the next one first; nothing if there are none. */
export function ScheduledMessages() {
  const { data } = useQuery<Output<'list_schedules'>, Problem>({
    queryKey: ['list_schedules', {}],
    queryFn: ({ signal }) => call('list_schedules', {}, { signal }),
    // Iris may have published changes while nobody used this query.
    staleTime: 0,
  })
  if (data === undefined || data.schedules.length === 0) return null
  return (
    <section aria-label={texts.scheduled} className="flex min-w-0 flex-col gap-1">
      <h2 className="text-muted font-semibold">{texts.scheduled}</h2>
      <Suspense>
        <ScheduledList schedules={data.schedules} />
      </Suspense>
    </section>
  )
}
