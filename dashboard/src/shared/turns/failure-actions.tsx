import { useVerb } from '../api/use-operation.ts'
import { Button } from '../ui/button.tsx'
import { useNotices } from '../ui/notices.tsx'
import { RetryButton } from './retry-button.tsx'
import { texts } from './texts.ts'

/** What a person can do with a failure: send the message once more, or put the failure aside. */
export function FailureActions({ turnId, about }: { readonly turnId: string; readonly about: string }) {
  const { mutate, isPending } = useVerb('dismiss_failure')
  const tell = useNotices()
  const dismiss = (): void =>
    mutate({ turnId }, { onError: ({ message, remedy }) => tell(`${message} ${remedy}`, { isTrouble: true }) })
  return (
    <div className="flex flex-wrap gap-2">
      <RetryButton turnId={turnId} about={about} />
      <Button look="quiet" disabled={isPending} onClick={dismiss}>
        {texts.dismiss}
        <span className="sr-only"> {about}</span>
      </Button>
    </div>
  )
}
