import { wrapped } from '../wrapped.ts'
import type { Line } from './line.ts'

const keys: readonly (readonly [key: string, does: string])[] = [
  ['tab, shift-tab', 'the next pane, the one before'],
  ['↑ ↓, k j', 'choose a conversation or a request; scroll a text'],
  ['page up, down', 'the same by ten rows'],
  ['enter', 'opens: the live text of a conversation, a request, the log'],
  ['esc', 'goes back'],
  ['a', 'in an opened request: yes, this once'],
  ['s, p, w', 'yes, also from now on: this conversation, this pair, always'],
  ['d', 'no; asks you why'],
  ['?', 'shows these keys'],
  ['q, Ctrl-C', 'leaves; Iris goes on'],
]

const keyColumns = 18

export function helpLines(width: number): readonly Line[] {
  return keys.flatMap(([key, does]) =>
    wrapped(does, Math.max(10, width - keyColumns)).map(
      (row, index): Line => [{ text: `  ${index === 0 ? key : ''}`.padEnd(keyColumns), bold: true }, { text: row }],
    ),
  )
}
