import { lazy, Suspense, useState } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import type { AskAgainProps } from './opened/ask-again-dialog.tsx'
import type { Row } from './retrying.ts'
import { texts } from './texts.ts'

const AskAgainDialog = lazy(async () => ({ default: (await import('./opened/ask-again-dialog.tsx')).AskAgainDialog }))

/** Whether Iris lets its owner send a message as this asker: not as a chat, and not with a role. */
export function canAskAgain({ from, thread }: Pick<Row['session'], 'from' | 'thread'>): boolean {
  return !from.includes(':') && !thread.startsWith('role:')
}

/**
 * Sends a new message in place of a question that expired, because the turn that asked has usually ended. The person
 * sees the message before it is sent.
 */
export function AskAgain(props: AskAgainProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>{texts.askAgain}</Button>
      <Suspense>{isOpen && <AskAgainDialog {...props} onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
