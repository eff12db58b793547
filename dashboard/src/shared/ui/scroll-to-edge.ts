/** Frames in which rows may still turn out to be of another height than was thought. */
const frames = 30

/** What a person does next: from then on the list is not held at its edge any more. */
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
