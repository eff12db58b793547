import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { Loading, Trouble } from './states.tsx'
import { texts } from './texts.ts'

/** How often the page checks whether its first view is complete, in milliseconds. */
const lookMs = 1000

/** A part of the page: still loading, loaded, or failed. */
type Late<Part> = { readonly part?: Part; readonly error?: Error }

/**
 * A part that the first view does not need: loaded once nothing else is being fetched, or at once when it is wanted.
 * Give it a stable function.
 */
export function useLatePart<Part extends object>(load: () => Promise<Part>, isWanted: boolean): Late<Part> {
  const [late, setLate] = useState<Late<Part>>({})
  const queries = useQueryClient()
  useEffect(() => {
    if (late.part !== undefined) return
    const take = (): void => {
      load().then(
        (part) => setLate({ part }),
        (error: Error) => setLate({ error }),
      )
    }
    if (isWanted) return take()
    const timer = setInterval(() => {
      if (queries.isFetching() > 0) return
      clearInterval(timer)
      take()
    }, lookMs)
    return () => clearInterval(timer)
  }, [late.part, isWanted, load, queries])
  return late
}

interface EarlyDialogProps {
  readonly title: string
  readonly error: Error | undefined
  readonly onClose: () => void
  /** The field for text typed meanwhile. It keeps the text where the loaded dialog finds it. */
  readonly children?: ReactNode
}

/** Shown in place of a dialog that is still loading, so that no key reaches the page below it. */
export function EarlyDialog({ title, error, onClose, children }: EarlyDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Coming error={error} />
    </Dialog>
  )
}

/** Shown in place of a part that is still loading or has failed to load. */
export function Coming({ error }: { readonly error: Error | undefined }) {
  return error === undefined ? (
    <Loading what={texts.whatIsAskedFor} />
  ) : (
    <Trouble problem={error} onRetry={() => location.reload()} />
  )
}
