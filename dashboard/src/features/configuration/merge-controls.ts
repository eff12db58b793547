import { texts } from './texts.ts'

/** CodeMirror's own buttons only react to the mouse. */
export function mergeControls(type: 'reject' | 'accept', act: (event: MouseEvent) => void): HTMLElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.name = type
  button.textContent = type === 'accept' ? texts.keepMine : texts.takeTheirs
  button.addEventListener('click', act)
  return button
}
