import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { nextFocus, Stillness, stillMs } from './keys.ts'

/** Keeps the focus of the list on its row, and records which rows have not moved for a while. */
export function useRowFocus(list: RefObject<HTMLElement | null>, ids: readonly string[]) {
  const [current, setCurrent] = useState<string>()
  const focused = useRef<string>(undefined)
  const before = useRef<readonly string[]>(ids)
  const stillness = useRef(new Stillness()).current
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const look = useCallback(() => {
    const now = performance.now()
    const rows = rowsOf(list.current)
    // Measures all rows before changing any: otherwise each measurement would lay out the page again.
    for (const row of rows) stillness.note(row.dataset['row']!, topOf(row), now)
    for (const row of rows) row.toggleAttribute('data-still', stillness.isStill(row.dataset['row']!, now))
    clearTimeout(timer.current)
    if (rows.some((row) => !row.hasAttribute('data-still'))) timer.current = setTimeout(look, stillMs)
  }, [list, stillness])
  // Runs after each rendering, because rows move when others come and go.
  useLayoutEffect(() => {
    const wanted = nextFocus(before.current, ids, focused.current)
    before.current = ids
    const lost = document.activeElement === null || document.activeElement === document.body
    if (wanted !== undefined && lost) rowOf(list.current, wanted)?.focus({ preventScroll: wanted === focused.current })
    look()
  })
  useEffect(() => {
    window.addEventListener('scroll', look, true)
    window.addEventListener('resize', look)
    return () => {
      clearTimeout(timer.current)
      window.removeEventListener('scroll', look, true)
      window.removeEventListener('resize', look)
    }
  }, [look])
  const note = (target: EventTarget | null): void => {
    focused.current = idOf(target)
    setCurrent(focused.current)
  }
  const isStill = (id: string): boolean => {
    look()
    return stillness.isStill(id, performance.now())
  }
  /** Moves the focus by one row. If no row has the focus, the first row gets it. */
  const move = (step: 1 | -1): void => {
    const place = ids.indexOf(focused.current ?? '')
    rowOf(list.current, ids[place === -1 ? 0 : place + step])?.focus()
  }
  return { current: current !== undefined && ids.includes(current) ? current : ids[0], note, isStill, move, look }
}

function rowsOf(list: HTMLElement | null): readonly HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
}

export function rowOf(list: HTMLElement | null, id: string | undefined): HTMLElement | undefined {
  return rowsOf(list).find(({ dataset }) => dataset['row'] === id)
}

export function idOf(target: EventTarget | null): string | undefined {
  const row = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-row]') : null
  return row?.dataset['row']
}

/** Undefined while the top of the row is out of sight. */
function topOf(row: HTMLElement): number | undefined {
  const { top } = row.getBoundingClientRect()
  return top >= 0 && top < window.innerHeight ? top : undefined
}
