import { useVerb } from '../../shared/api/use-operation.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import { texts } from './texts.ts'

/** Removes a waiting message from the queue. */
export function CancelButton({ turnId }: { readonly turnId: string }) {
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
      <Icon name="close" className="size-4" />
      {cancel.isPending ? texts.removing : texts.removeFromQueue}
    </Button>
  )
}
