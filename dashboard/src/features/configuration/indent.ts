import type { EditorView } from '@codemirror/view'

/** Inserts two spaces at the cursor, or before each selected line. */
export function indent(view: EditorView): boolean {
  const { state } = view
  const { from, to, empty } = state.selection.main
  const first = state.doc.lineAt(from).number
  const lines = Array.from({ length: state.doc.lineAt(to).number - first + 1 }, (_, index) => first + index)
  const starts = empty ? [from] : lines.map((line) => state.doc.line(line).from)
  const changes = state.changes(starts.map((start) => ({ from: start, insert: '  ' })))
  view.dispatch({ changes, selection: state.selection.map(changes, 1), userEvent: 'input.indent' })
  return true
}
