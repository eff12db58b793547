import type { PermissionView } from '../../../../../src/base/protocol/permission-view.ts'
import { call, type Problem } from '../../../shared/api/operations.ts'
import { canBeDone } from '../../../shared/inbox/marks.ts'
import { usePending } from '../../../shared/questions/use-pending.ts'
import { Button } from '../../../shared/ui/button.tsx'
import { useNotices } from '../../../shared/ui/notices.tsx'
import type { RowActions } from '../item-row.tsx'
import type { Row } from '../retrying.ts'
import { texts } from './texts.ts'

interface SelectionBarProps extends Pick<RowActions, 'onDone' | 'onLater' | 'onRetried'> {
  readonly rows: readonly Row[]
  readonly onClear: () => void
}

/** What can be done with several rows; nothing here grants a right. Each button says how many rows it affects. */
export function SelectionBar({ rows, onDone, onLater, onRetried, onClear }: SelectionBarProps) {
  const tell = useNotices()
  const { data } = usePending()
  const doable = rows.filter(canBeDone)
  const failed = rows.flatMap((row) => {
    const turnId = row.items.find(({ kind }) => kind === 'failed')?.turnId
    return turnId === undefined ? [] : [{ row, turnId }]
  })
  const ids = new Set(rows.flatMap(({ items }) => items.flatMap(({ permissionId }) => permissionId ?? [])))
  const asked = data?.permissions.filter(({ permissionId }) => ids.has(permissionId)) ?? []
  const each = async <Of,>(all: readonly Of[], work: (one: Of) => Promise<void>): Promise<void> => {
    for (const one of all)
      await work(one).catch(({ message, remedy }: Problem) => tell(`${message} ${remedy}`, { isTrouble: true }))
    onClear()
  }
  const deny = async ({ permissionId, inputHash }: PermissionView): Promise<void> =>
    void (await call('answer_permission', { permissionId, inputHash, decision: 'deny' }))
  const retry = async ({ row, turnId }: (typeof failed)[number]): Promise<void> =>
    onRetried(row, (await call('retry_message', { turnId })).turnId)
  return (
    <div role="group" aria-label={texts.selected} className="flex flex-wrap items-center gap-2">
      {doable.length > 0 && (
        <Button
          onClick={() => {
            onDone(doable)
            onClear()
          }}
        >
          {texts.markDone(doable.length)}
        </Button>
      )}
      {doable.length > 0 && doable.length < rows.length && (
        <span className="text-muted text-xs">{texts.leavesQuestions(rows.length - doable.length)}</span>
      )}
      <Button onClick={() => onLater(rows)}>{texts.putOff(rows.length)}</Button>
      {failed.length > 0 && <Button onClick={() => void each(failed, retry)}>{texts.retryMany(failed.length)}</Button>}
      {asked.length > 0 && (
        <Button look="danger" onClick={() => void each(asked, deny)}>
          {texts.denyMany(asked.length)}
        </Button>
      )}
      <Button look="quiet" onClick={onClear}>
        {texts.clearSelection}
      </Button>
    </div>
  )
}
