import { useState } from 'react'
import { useVerb } from '../../shared/api/use-operation.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Dialog } from '../../shared/ui/dialog.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import type { Board } from './changes.ts'
import { texts } from './texts.ts'

/** How full the pool is, and a button that wakes all teams. */
export function PoolActions({ board }: { readonly board: Board }) {
  const { activeProcesses, maxProcesses } = board.pool
  const [isAsking, setAsking] = useState(false)
  // Other hosts start the processes of their teams themselves.
  const own = board.teams.filter(({ terminalCommand }) => terminalCommand !== undefined).length
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
        <b className="text-ink tabular-nums">{activeProcesses}</b>
        {texts.ofProcesses(maxProcesses)}
      </p>
      <Button disabled={wakeAll.isPending} onClick={() => setAsking(true)}>
        {wakeAll.isPending ? texts.waking : texts.wakeAllTeams}
      </Button>
      {isAsking && (
        <Dialog title={texts.wakeAllTeamsQuestion} onClose={() => setAsking(false)}>
          <p>{texts.irisStartsAProcess(own, maxProcesses)}</p>
          <div className="mt-3 flex flex-wrap justify-end gap-2">
            <Button data-first onClick={() => setAsking(false)}>
              {texts.leave}
            </Button>
            <Button look="primary" disabled={wakeAll.isPending} onClick={wake}>
              {texts.wakeAll}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  )
}
