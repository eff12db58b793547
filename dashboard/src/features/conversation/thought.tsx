import { useEffect, useRef } from 'react'
import { useLiveThought } from '../../shared/stream/live-provider.tsx'
import { texts } from './texts.ts'

/**
 * The current thinking of a turn, scrolled to its end. It disappears once the thought is complete, and is then among
 * the steps.
 */
export function Thought({ turnId }: { readonly turnId: string }) {
  const thought = useLiveThought(turnId)
  const shown = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (thought !== '') shown.current?.scrollTo({ top: shown.current.scrollHeight })
  }, [thought])
  if (thought === '') return null
  return (
    <details open className="text-muted mt-1" aria-live="off">
      <summary className="cursor-pointer">{texts.thinking}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard. */}
      <p
        ref={shown}
        tabIndex={0}
        dir="auto"
        className="max-w-[72ch] mt-1 max-h-32 overflow-auto wrap-anywhere whitespace-pre-wrap italic"
      >
        {thought}
      </p>
    </details>
  )
}
