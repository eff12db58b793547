import { visible } from '../../base/lib/visible.ts'
import type { PermissionView } from '../../base/protocol/permission-view.ts'
import { cutNote, fitting, questionRows, title } from '../permission/forward/question-words.ts'

/**
 * The length of input that every platform accepts in a message with buttons, in UTF-16 units. Discord accepts 2000 and
 * counts a line break as two.
 */
const maxInput = 1000
const maxRow = 160

/**
 * A permission question as plain text, with nothing hidden. The question can be allowed in a chat only if the chat
 * shows all of the tool's input.
 */
export function questionText(view: PermissionView): { readonly text: string; readonly canAllow: boolean } {
  const shown = unticked(visible(view.shown))
  const input = fitting(shown, maxInput, (text) => text)
  const note = cutNote(shown, input)
  const lines = questionRows(view).map(([name, text]) => `${name}: ${code(fitting(text, maxRow, (part) => part))}`)
  const how =
    note === undefined ? 'It is denied if nobody answers.' : `${note} Allow it in a terminal or the dashboard.`
  const text = [code(fitting(title(view), maxRow, (part) => part)), `\`\`\`\n${input}\n\`\`\``, ...lines, how].join(
    '\n',
  )
  return { text, canAllow: note === undefined }
}

/** Platforms that show Markdown leave this text unchanged. */
function code(text: string): string {
  return `\`${unticked(text)}\``
}

/** A backtick would end the code, so a letter that looks like one replaces it. */
function unticked(text: string): string {
  return text.replaceAll('`', '\u02cb')
}
