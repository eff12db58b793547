import { useEffect, useRef } from 'react'
import { Button, IconButton } from '../../shared/ui/button.tsx'
import { Dialog } from '../../shared/ui/dialog.tsx'
import { Coming, useLatePart } from '../../shared/ui/early-dialog.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { texts } from '../texts.ts'

const loadPalette = () => import('./opened/palette.tsx')

interface PaletteKeyProps {
  readonly isOpen: boolean
  readonly setOpen: (isOpen: boolean) => void
}

/** Opens the palette by Ctrl+K, by a button, or by `/` when no field has the focus. */
export function PaletteKey({ isOpen, setOpen }: PaletteKeyProps) {
  const { part, error } = useLatePart(loadPalette, isOpen)
  const early = useRef('')
  const close = (): void => {
    early.current = ''
    setOpen(false)
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector('dialog[open]') !== null) return
      const isTyping =
        event.target instanceof HTMLElement &&
        event.target.closest('input, textarea, select, [contenteditable]') !== null
      const isK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)
      const isSlash = event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey
      if (!isK && !isSlash) return
      event.preventDefault()
      setOpen(true)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [setOpen])
  return (
    <>
      <Button
        className="text-muted mx-2 mb-2 !justify-start !gap-1 !px-1.5 text-xs max-lg:hidden"
        title={texts.ctrlK}
        aria-keyshortcuts="Control+K"
        onClick={() => setOpen(true)}
      >
        <Icon name="search" className="size-4 shrink-0" />
        <span className="truncate">{texts.searchOrRun}</span>
      </Button>
      {isOpen && (
        // One dialog while the palette loads and after: opening a second one would style the whole page again, twice.
        <Dialog title={texts.searchOrRun} onClose={close}>
          {part ? (
            <part.Palette first={early.current} onClose={close} />
          ) : (
            <>
              <input
                type="text"
                data-first
                aria-label={texts.searchOrRun}
                onChange={({ target }) => {
                  early.current = target.value
                }}
                className="border-line bg-page w-full rounded-md border px-3 py-2"
              />
              <Coming error={error} />
            </>
          )}
        </Dialog>
      )}
    </>
  )
}

/** A button for the palette in the bar of a narrow screen, where there may be no keyboard. */
export function PaletteButton({ setOpen }: Pick<PaletteKeyProps, 'setOpen'>) {
  return (
    <IconButton label={texts.searchOrRun} className="lg:hidden" onClick={() => setOpen(true)}>
      <Icon name="search" />
    </IconButton>
  )
}
