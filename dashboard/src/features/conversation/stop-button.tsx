import { useLayoutEffect } from 'react'
import { useVerb } from '../../shared/api/use-operation.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import { texts } from './texts.ts'

/** Ends the message that is being answered: by a click, or by Escape wherever the focus is on this screen. */
export function StopButton({ turnId }: { readonly turnId: string }) {
  const { mutate, isPending } = useVerb('session_cancel')
  const tell = useNotices()
  const stop = (): void =>
    mutate({ turnId }, { onError: ({ message, remedy }) => tell(`${message} ${remedy}`, { isTrouble: true }) })
  // A layout effect, so that the key works as soon as the button is visible.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      // A dialog, a menu and a field with something to clear handle the key first.
      const isTaken = event.defaultPrevented || document.querySelector('dialog[open], [role="menu"]') !== null
      if (event.key === 'Escape' && !event.repeat && !isTaken) stop()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
  return (
    <Button look="danger" disabled={isPending} aria-keyshortcuts="Escape" onClick={stop}>
      <Icon name="stop" className="size-4" /> {isPending ? texts.stopping : texts.stop}
    </Button>
  )
}
