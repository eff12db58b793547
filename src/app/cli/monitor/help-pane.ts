import { wrapped } from '../wrapped.ts'
import type { Line } from './line.ts'

const keys: readonly (readonly [key: string, does: string])[] = [
  ['tab, shift-tab', 'next or previous pane'],
  ['↑ ↓, k j', 'choose a conversation or a request; scroll a text'],
  ['page up, down', 'moves or scrolls ten rows'],
  ['enter', 'opens: the live text of a conversation, a request, the log'],
  ['esc', 'goes back'],
  ['a', 'in an open request: yes, this once'],
  ['s, p, w', 'yes, from now on: in this conversation, for this pair, always'],
  ['d', 'no; asks you why'],
  ['?', 'shows these keys'],
  ['q, Ctrl-C', 'quits the monitor; Iris keeps running'],
]

const keyColumns = 18

export function helpLines(width: number): readonly Line[] {
  return keys.flatMap(([key, does]) =>
    wrapped(does, Math.max(10, width - keyColumns)).map(
      (row, index): Line => [{ text: `  ${index === 0 ? key : ''}`.padEnd(keyColumns), bold: true }, { text: row }],
    ),
  )
}
