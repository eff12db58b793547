import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { texts } from './texts.ts'
import { useRetry } from './use-retry.ts'

interface RetryButtonProps {
  readonly turnId: string
  /** Read out beside the word: "frontend to backend". */
  readonly about?: string
  /** Called with the id of the new turn. */
  readonly onSent?: (turnId: string) => void
}

/**
 * Sends a failed message again. If it is in doubt how the message ended, the button first asks, and says which tools
 * may have run.
 */
export function RetryButton({ turnId, about, onSent }: RetryButtonProps) {
  const { retry, isPending, doubt, leave } = useRetry(turnId, onSent)
  return (
    <>
      <Button data-retry disabled={isPending} onClick={() => retry(false)}>
        <Icon name="retry" className="size-4" />
        {isPending ? texts.sending : texts.retry}
        {about !== undefined && <span className="sr-only"> {about}</span>}
      </Button>
      {doubt !== undefined && (
        <Dialog title={texts.retryAMessageIn} onClose={leave}>
          <p className="wrap-anywhere">{doubt}</p>
          <p className="text-muted mt-2">{texts.firstCheckWhatWas}</p>
          <div className="mt-3 flex flex-wrap justify-end gap-2">
            <Button data-first onClick={leave}>
              {texts.leave}
            </Button>
            <Button look="danger" disabled={isPending} onClick={() => retry(true)}>
              {texts.retryAllTheSame}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  )
}
