import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react'
import { texts } from './texts.ts'
import { type Entry, useEntries } from './use-entries.ts'

interface PaletteProps {
  /** What the person typed before the palette had loaded. */
  readonly first: string
  readonly onClose: () => void
}

/**
 * In the page's dialog: finds teams, conversations, messages and actions by a few letters. The arrow keys choose an entry,
 * Enter runs it.
 */
export function Palette({ first, onClose }: PaletteProps) {
  const [words, setWords] = useState(first)
  const [chosen, setChosen] = useState(0)
  const entries = useEntries(words)
  const list = useId()
  const field = useRef<HTMLInputElement>(null)
  // This field may replace one in which somebody has begun to type.
  useLayoutEffect(() => {
    field.current?.focus()
    field.current?.setSelectionRange(first.length, first.length)
  }, [first])
  const at = Math.min(chosen, entries.length - 1)
  const go = (entry: Entry | undefined): void => {
    if (entry === undefined) return
    onClose()
    // Runs after the dialog has returned the focus, so that a dialog which the entry opens keeps the focus.
    setTimeout(entry.run)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setChosen((at + step + entries.length) % Math.max(1, entries.length))
    else if (event.key === 'Enter') go(entries[at])
    else return
    event.preventDefault()
  }
  return (
    <>
      <input
        ref={field}
        type="text"
        role="combobox"
        data-first
        aria-label={texts.findTeamsConversationsMessages}
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={entries[at] && `${list}-${at}`}
        value={words}
        onChange={({ target }) => {
          setWords(target.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
        className="border-line bg-page w-full rounded-md border px-3 py-2"
      />
      <ul id={list} role="listbox" aria-label={texts.found} className="mt-2 max-h-[60dvh] overflow-y-auto">
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          <li
            key={entry.key}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === at}
            tabIndex={-1}
            onClick={() => go(entry)}
            className="aria-selected:bg-raised hover:bg-raised flex cursor-pointer items-baseline gap-x-2 rounded px-2 py-1.5 max-sm:flex-wrap"
          >
            <span className="text-muted w-24 shrink-0 text-xs max-sm:w-auto max-sm:flex-1">
              {texts.kinds[entry.kind]}
            </span>
            <span dir="auto" className="min-w-0 flex-1 truncate max-sm:order-last max-sm:basis-full">
              {entry.title}
            </span>
            {entry.note !== undefined && <span className="text-muted shrink-0 text-xs">{entry.note}</span>}
          </li>
        ))}
      </ul>
      {entries.length === 0 && (
        <p role="status" className="text-muted p-2">
          {texts.nothingWasFound}
        </p>
      )}
    </>
  )
}
