import { Box, type Key as InkKey, Text, useInput, usePaste, useWindowSize } from 'ink'
import { createElement, type ReactNode, useSyncExternalStore } from 'react'
import { terminalSafe } from '../../../base/lib/visible.ts'
import type { Key } from './keys.ts'
import type { Line } from './line.ts'
import type { Monitor } from './monitor.ts'
import { pictureOf } from './panes.ts'

/** The whole terminal: draws the panes and passes on the keys. */
export function Screen({ monitor }: { readonly monitor: Monitor }): ReactNode {
  const size = useWindowSize()
  const shown = useSyncExternalStore(monitor.subscribe, () => monitor.shown)
  useInput((input, key) => {
    for (const each of keysOf(input, key)) monitor.press(each, size)
  })
  usePaste((text) => monitor.press({ name: 'paste', text }, size))
  const { header, columns, footer } = pictureOf(shown, size)
  return createElement(
    Box,
    // Not `size.columns`: right after a resize Ink still draws with the former size, which could be wider than the
    // terminal.
    { flexDirection: 'column', width: '100%', height: size.rows, overflow: 'hidden' },
    createElement(Row, { line: header }),
    createElement(
      Box,
      { columnGap: 1, flexGrow: 1, overflow: 'hidden' },
      ...columns.map(({ width, lines }) =>
        createElement(
          Box,
          { flexDirection: 'column', width, flexShrink: 0, overflow: 'hidden' },
          ...lines.map((line) => createElement(Row, { line })),
        ),
      ),
    ),
    createElement(Row, { line: footer }),
  )
}

/** One row, cut at the edge of the screen. Makes all text safe for the terminal. */
function Row({ line }: { readonly line: Line }): ReactNode {
  const spans = line.map(({ text, color, bold = false, dim = false }) =>
    createElement(Text, { bold, dimColor: dim, ...(color && { color }) }, terminalSafe(text).replace(/[\n\t]/g, ' ')),
  )
  return createElement(Box, { height: 1, flexShrink: 0 }, createElement(Text, { wrap: 'truncate' }, ...spans))
}

/** For each key that the monitor knows, Ink's name and the monitor's name. */
const namedKeys: readonly (readonly [keyof InkKey, Key['name']])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['backspace', 'backspace'],
  ['delete', 'backspace'],
  ['pageUp', 'page-up'],
  ['pageDown', 'page-down'],
]

/** Control characters within a longer input, for which Ink gives no names. */
const controlKeys: Readonly<Record<string, Key['name']>> = { '\t': 'tab', '\r': 'enter', '\u007f': 'backspace' }

/** The keys in one input of Ink: several if they were pressed so quickly that they arrived together. */
function keysOf(input: string, key: InkKey): readonly Key[] {
  if (key.tab) return [{ name: key.shift ? 'back-tab' : 'tab', text: '' }]
  const name = namedKeys.find(([field]) => key[field])?.[1]
  if (name !== undefined) return [{ name, text: '' }]
  if (key.ctrl || key.meta) return []
  return Array.from(input, (text) => {
    const control = controlKeys[text]
    return control ? { name: control, text: '' } : { name: 'text', text }
  })
}
