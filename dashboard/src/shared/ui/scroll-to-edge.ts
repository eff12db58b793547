/** Frames in which the heights of rows may still differ from the estimate. */
const frames = 30

/** Events after which the list is no longer held at its edge: the person does something else. */
const inputs = ['wheel', 'pointerdown', 'touchstart', 'keydown'] as const

/** Scrolls to the very beginning or end of a list whose rows are measured as they come into sight. */
export function scrollToEdge(element: HTMLElement, edge: 'beginning' | 'end'): void {
  let left = frames
  const end = new AbortController()
  const step = (): void => {
    if (end.signal.aborted) return
    element.scrollTop = edge === 'end' ? element.scrollHeight : 0
    left -= 1
    if (left > 0) requestAnimationFrame(step)
    else end.abort()
  }
  step()
  for (const input of inputs) {
    window.addEventListener(input, () => end.abort(), { capture: true, passive: true, signal: end.signal })
  }
}
