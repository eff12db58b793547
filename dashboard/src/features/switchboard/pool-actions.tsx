import { useVerb } from '../../shared/api/use-operation.ts'
import { Button } from '../../shared/ui/button.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import type { Board } from './changes.ts'

/** How full the pool is, and everybody's alarm clock. */
export function PoolActions({ pool: { activeProcesses, maxProcesses } }: Pick<Board, 'pool'>) {
  const wakeAll = useVerb('team_wake_all')
  const tell = useNotices()
  const wake = (): void =>
    wakeAll.mutate(
      { parallel: true },
      {
        onSuccess: ({ message }) => tell(message),
        onError: ({ message, remedy }) => tell(`${message} ${remedy}`, { isTrouble: true }),
      },
    )
  return (
    <>
      <p className="text-muted">
        <b className="text-ink tabular-nums">{activeProcesses}</b> of {maxProcesses} processes
      </p>
      <Button disabled={wakeAll.isPending} onClick={wake}>
        {wakeAll.isPending ? 'Waking…' : 'Wake all teams'}
      </Button>
    </>
  )
}
