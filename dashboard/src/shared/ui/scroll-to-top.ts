/** Frames in which rows above may still turn out to be of another height than was thought. */
const frames = 30

/** Scrolls to the very beginning of a list whose rows are measured as they come into sight. */
export function scrollToTop(element: HTMLElement): void {
  let left = frames
  const step = (): void => {
    element.scrollTop = 0
    left -= 1
    if (left > 0) requestAnimationFrame(step)
  }
  step()
}
