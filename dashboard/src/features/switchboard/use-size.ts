import { type RefObject, useLayoutEffect, useState, useSyncExternalStore } from 'react'

/** The width in pixels; 0 before it is known. */
export function useWidth(element: RefObject<Element | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    if (element.current === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return width
}

/** Whether the window is at least this wide. */
export function useIsWide(pixels: number): boolean {
  const media = matchMedia(`(min-width: ${pixels}px)`)
  return useSyncExternalStore(
    (listener) => {
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    () => media.matches,
  )
}
