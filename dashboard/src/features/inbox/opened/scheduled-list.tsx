import { plainLine } from '../../../../../src/base/lib/plain-line.ts'
import type { Output } from '../../../shared/api/operations.ts'
import { useVerb } from '../../../shared/api/use-operation.ts'
import { askerName } from '../../../shared/format/asker.ts'
import { clockTime } from '../../../shared/format/times.ts'
import { Button } from '../../../shared/ui/button.tsx'
import { useNotices } from '../../../shared/ui/notices.tsx'
import { TeamName } from '../../../shared/ui/team-name.tsx'
import { texts } from './texts.ts'

type Schedules = Output<'list_schedules'>['schedules']

/** Loaded only if messages are scheduled, because the first view does not need it. */
export function ScheduledList({ schedules }: { readonly schedules: Schedules }) {
  return (
    <ul className="border-line bg-panel divide-line divide-y rounded-lg border">
      {schedules.map((each) => (
        <ScheduledItem key={each.scheduleId} scheduled={each} />
      ))}
    </ul>
  )
}

function ScheduledItem({ scheduled }: { readonly scheduled: Schedules[number] }) {
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
