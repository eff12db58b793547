import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { Loading, Trouble } from './states.tsx'
import { texts } from './texts.ts'

/** How often the page looks whether its first view is complete. */
const lookMs = 1000

/** A part of the page: still to come, there, or not to be had. */
type Late<Part> = { readonly part?: Part; readonly error?: Error }

/**
 * What the first view does without: loaded once nothing else is being fetched, or at once where it is wanted.
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
  /** What is typed meanwhile, for the field that comes. */
  readonly onType?: (text: string) => void
}

/** In place of a dialog that is still loading: no key reaches the page below it. */
export function EarlyDialog({ title, error, onClose, onType }: EarlyDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {onType && (
        <input
          type="text"
          data-first
          aria-label={title}
          onChange={({ target }) => onType(target.value)}
          className="border-line bg-page w-full rounded-md border px-3 py-2"
        />
      )}
      {error === undefined ? (
        <Loading what={texts.whatIsAskedFor} />
      ) : (
        <Trouble problem={error} onRetry={() => location.reload()} />
      )}
    </Dialog>
  )
}
