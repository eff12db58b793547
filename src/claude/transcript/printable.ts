import { withoutActing } from '../../base/lib/visible.ts'

const looksLikeRecord = /^(?=\[\d{4}-\d\d-\d\dT|=== Session Continued ===)/gm

/**
 * Makes text safe for a log that people read in a terminal. Characters that would move the cursor, change the direction
 * of the text or ring the bell become visible signs. A line that looks like one of the log's own is indented.
 */
export function printable(text: string): string {
  return withoutActing(text.replaceAll('\r\n', '\n'), visible).replace(looksLikeRecord, ' ')
}

/** Like `printable`, for text that must stay on one line. */
export function printableName(text: string): string {
  return printable(text.replaceAll('\n', '\u240a'))
}

function visible(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return '\u2421'
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}
