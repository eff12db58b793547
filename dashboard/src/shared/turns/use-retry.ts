import { useState } from 'react'
import { useVerb } from '../api/use-operation.ts'
import { useNotices } from '../ui/notices.tsx'

/**
 * Sends a failed message again. `doubt`: Iris's refusal, if tools of the message may have run, until a person decides.
 */
export function useRetry(turnId: string, onSent: (turnId: string) => void = () => {}) {
  const [doubt, setDoubt] = useState<string>()
  const { mutateAsync, isPending } = useVerb('retry_message')
  const tell = useNotices()
  const retry = (evenInDoubt: boolean): void => {
    if (isPending) return
    void mutateAsync({ turnId, ...(evenInDoubt && { evenInDoubt }) }).then(
      ({ turnId: sent }) => {
        setDoubt(undefined)
        onSent(sent)
      },
      ({ code, message, remedy }) => {
        if (code === 'may_have_run') setDoubt(message)
        else tell(`${message} ${remedy}`, { isTrouble: true })
      },
    )
  }
  return { retry, isPending, doubt, leave: () => setDoubt(undefined) }
}
