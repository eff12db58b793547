/** CodeMirror's own buttons hear the mouse alone. */
export function mergeControls(type: 'reject' | 'accept', act: (event: MouseEvent) => void): HTMLElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.name = type
  button.textContent = type === 'accept' ? 'Keep mine' : 'Take theirs'
  button.addEventListener('click', act)
  return button
}
