import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

/**
 * Arrow keys move between the questions. When the question with the focus disappears, the next one gets the focus, and
 * `hush` is called because the person did not choose it.
 */
export function useInboxFocus(list: RefObject<HTMLElement | null>, ids: readonly string[], hush: () => void): void {
  const before = useRef<readonly string[]>(ids)
  const focused = useRef<string>(undefined)
  // A layout effect, so that the page never shows the next question with the focus while its keys still look active.
  useLayoutEffect(() => {
    const gone = before.current.filter((id) => !ids.includes(id))
    if (gone.length > 0) hush()
    if (focused.current !== undefined && gone.includes(focused.current)) {
      const next = before.current.slice(before.current.indexOf(focused.current)).find((id) => ids.includes(id))
      cardOf(list.current, next ?? ids.at(-1))?.focus()
    }
    before.current = ids
  }, [ids, list, hush])
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent): void => {
      focused.current = idOf(target)
    }
    const onKey = (event: KeyboardEvent): void => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      const target = event.target as HTMLElement
      if (step === undefined || target.closest('input, textarea, select') !== null) return
      const place = before.current.indexOf(idOf(target) ?? '')
      const card = cardOf(list.current, before.current[place === -1 ? 0 : place + step])
      if (card === null) return
      event.preventDefault()
      card.focus()
    }
    document.addEventListener('focusin', onFocus)
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('focusin', onFocus)
      document.removeEventListener('keydown', onKey)
    }
  }, [list])
}

function idOf(target: EventTarget | null): string | undefined {
  const card = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-permission]') : null
  return card?.dataset['permission']
}

export function cardOf(list: HTMLElement | null, id: string | undefined): HTMLElement | null {
  return id === undefined ? null : (list?.querySelector<HTMLElement>(`[data-permission="${CSS.escape(id)}"]`) ?? null)
}
