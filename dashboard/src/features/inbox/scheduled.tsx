import { useQuery } from '@tanstack/react-query'
import { plainLine } from '../../../../src/base/lib/plain-line.ts'
import { call, type Output, type Problem } from '../../shared/api/operations.ts'
import { useVerb } from '../../shared/api/use-operation.ts'
import { askerName } from '../../shared/format/asker.ts'
import { clockTime } from '../../shared/format/times.ts'
import { Button } from '../../shared/ui/button.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import { TeamName } from '../../shared/ui/team-name.tsx'
import { texts } from './texts.ts'

type Scheduled = Output<'list_schedules'>['schedules'][number]

/** Messages that are sent later, the next one first; nothing if there are none. */
export function ScheduledMessages() {
  const { data } = useQuery<Output<'list_schedules'>, Problem>({
    queryKey: ['list_schedules', {}],
    queryFn: ({ signal }) => call('list_schedules', {}, { signal }),
    // What happened while nobody looked has not been heard.
    staleTime: 0,
  })
  if (data === undefined || data.schedules.length === 0) return null
  return (
    <section aria-label={texts.scheduled} className="flex min-w-0 flex-col gap-1">
      <h2 className="text-muted font-semibold">{texts.scheduled}</h2>
      <ul className="border-line bg-panel divide-line divide-y rounded-lg border">
        {data.schedules.map((each) => (
          <ScheduledItem key={each.scheduleId} scheduled={each} />
        ))}
      </ul>
    </section>
  )
}

function ScheduledItem({ scheduled }: { readonly scheduled: Scheduled }) {
  const { scheduleId, from, to, message, nextAt, every, problem } = scheduled
  const { mutate, isPending } = useVerb('session_cancel')
  const tell = useNotices()
  const cancel = (): void =>
    mutate(
      { turnId: scheduleId },
      {
        onSuccess: () => tell(texts.isSentNoMore),
        onError: ({ message: what, remedy }) => tell(`${what} ${remedy}`, { isTrouble: true }),
      },
    )
  return (
    <li className="flex flex-wrap items-center gap-x-2 gap-y-1 px-3 py-1.5">
      <span className="flex min-w-0 flex-1 basis-40 flex-col">
        <span className="flex flex-wrap items-center gap-x-2">
          <TeamName name={from} />
          <span aria-label={texts.asks}>→</span>
          <TeamName name={to} />
        </span>
        <span dir="auto" className="truncate">
          {plainLine(message)}
        </span>
        <span className="text-muted text-xs">
          {nextAt === undefined ? texts.timeIsOver : texts.sentAt(clockTime(nextAt), every)}
        </span>
        {problem !== undefined && <span className="text-warn text-xs wrap-anywhere">{problem}</span>}
      </span>
      <Button disabled={isPending} aria-label={texts.cancelThis(askerName(from), to)} onClick={cancel}>
        {texts.cancel}
      </Button>
    </li>
  )
}
