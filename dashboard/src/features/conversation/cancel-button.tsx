import { useVerb } from '../../shared/api/use-operation.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import { texts } from './texts.ts'

/** Interrupts what runs, or takes what waits out of the queue. */
export function CancelButton({ turnId, isRunning }: { readonly turnId: string; readonly isRunning: boolean }) {
  const cancel = useVerb('session_cancel')
  const tell = useNotices()
  return (
    <Button
      disabled={cancel.isPending}
      onClick={() =>
        cancel.mutate(
          { turnId },
          { onError: ({ message, remedy }) => tell(`${message} ${remedy}`, { isTrouble: true }) },
        )
      }
    >
      <Icon name="stop" className="size-4" />
      {cancel.isPending ? texts.cancelling : isRunning ? texts.cancel : texts.removeFromQueue}
    </Button>
  )
}
