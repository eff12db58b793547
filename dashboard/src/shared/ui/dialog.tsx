import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { IconButton } from './button.tsx'
import { Icon } from './icon.tsx'
import { texts } from './texts.ts'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/**
 * Shown as long as it is rendered. The browser's own dialog: it keeps the focus inside, returns it, and closes on
 * Escape. The field with `data-first` has the focus first; for an action that cannot be undone, give `data-first` to
 * the button that cancels.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  // A layout effect: a letter typed after the dialog is drawn and before the focus is set would reach no field.
  useLayoutEffect(() => {
    const before = document.activeElement
    const element = dialog.current
    element?.showModal()
    // React applies `autoFocus` before this, when nothing in the dialog can have the focus yet.
    const first = element?.querySelector<HTMLInputElement>('[data-first]')
    first?.focus()
    // Further typing continues the text that is already there.
    if (typeof first?.selectionEnd === 'number') first.setSelectionRange(first.value.length, first.value.length)
    // The browser returns the focus when a dialog is closed, but not when it is taken out of the page. So the dialog is
    // closed first, since nothing outside of it can have the focus while it is open.
    return () => {
      element?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      className="border-line bg-panel text-ink m-auto max-h-[90dvh] w-[min(36rem,calc(100vw-1.5rem))] rounded-lg border p-0 shadow-xl backdrop:bg-black/50"
    >
      <div className="flex items-center justify-between gap-4 px-4 pt-3">
        <h2 id={heading} className="text-base font-semibold">
          {title}
        </h2>
        <IconButton label={texts.close} onClick={onClose}>
          <Icon name="close" />
        </IconButton>
      </div>
      <div className="px-4 pt-2 pb-4">{children}</div>
    </dialog>
  )
}
