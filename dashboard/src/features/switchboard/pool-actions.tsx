import { useState } from 'react'
import { useVerb } from '../../shared/api/use-operation.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Dialog } from '../../shared/ui/dialog.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import type { Board } from './changes.ts'

/** How full the pool is, and everybody's alarm clock. */
export function PoolActions({ board }: { readonly board: Board }) {
  const { activeProcesses, maxProcesses } = board.pool
  const [isAsking, setAsking] = useState(false)
  const wakeAll = useVerb('team_wake_all')
  const tell = useNotices()
  const wake = (): void =>
    wakeAll.mutate(
      { parallel: true },
      {
        onSuccess: ({ message }) => tell(message),
        onSettled: () => setAsking(false),
        onError: ({ message, remedy }) => tell(`${message} ${remedy}`, { isTrouble: true }),
      },
    )
  return (
    <>
      <p className="text-muted">
        <b className="text-ink tabular-nums">{activeProcesses}</b> of {maxProcesses} processes
      </p>
      <Button disabled={wakeAll.isPending} onClick={() => setAsking(true)}>
        {wakeAll.isPending ? 'Waking…' : 'Wake all teams…'}
      </Button>
      {isAsking && (
        <Dialog title="Wake all teams?" onClose={() => setAsking(false)}>
          <p>
            Iris starts a process for each of the {board.teams.length} teams that has none, as long as the pool has room
            for {maxProcesses}. Each takes about 250 MB of memory. No message is sent.
          </p>
          <div className="mt-3 flex flex-wrap justify-end gap-2">
            <Button data-first onClick={() => setAsking(false)}>
              Leave it as it is
            </Button>
            <Button look="primary" disabled={wakeAll.isPending} onClick={wake}>
              Wake all
            </Button>
          </div>
        </Dialog>
      )}
    </>
  )
}
