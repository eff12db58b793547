import { lintGutter, setDiagnostics } from '@codemirror/lint'
import { unifiedMergeView } from '@codemirror/merge'
import { Compartment } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { minimalSetup } from 'codemirror'
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import type { ConfigProblem } from '../../../../src/base/protocol/config-problem.ts'
import { editorLook } from './editor-look.ts'
import { indent } from './indent.ts'
import { leastChange } from './least-change.ts'
import { plainLines, withPlainLines } from './line-ends.ts'
import { mergeControls } from './merge-controls.ts'
import { yamlMarks } from './yaml-marks.ts'

export interface EditorHandle {
  /** `line` counts from 1. */
  readonly goTo: (line: number) => void
}

interface CodeEditorProps {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly problems: readonly ConfigProblem[]
  /** The other version of the text. The editor offers a choice wherever the two differ. */
  readonly theirs: string | undefined
  /** The id of the text that says how to leave the editor by keyboard. */
  readonly describedBy: string
  readonly ref: Ref<EditorHandle>
}

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

/** config.yaml as text, in CodeMirror. */
export function CodeEditor({ text, onChange, problems, theirs, describedBy, ref }: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const merging = useRef(new Compartment())
  const latest = useRef({ text, onChange })
  latest.current = { text, onChange }
  useEffect(() => {
    const changed = EditorView.updateListener.of(({ docChanged, state }) => {
      const { text, onChange } = latest.current
      const plain = state.doc.toString()
      if (docChanged && plain !== plainLines(text)) onChange(withPlainLines(text, () => plain))
    })
    const label = EditorView.contentAttributes.of({ 'aria-label': 'config.yaml', 'aria-describedby': describedBy })
    const extensions = [
      keymap.of([{ key: 'Tab', run: indent }]),
      minimalSetup,
      lineNumbers(),
      lintGutter(),
      yamlMarks,
      editorLook,
      EditorView.cspNonce.of(nonce),
      EditorView.lineWrapping,
      label,
      changed,
      merging.current.of([]),
    ]
    const opened = new EditorView({ doc: plainLines(latest.current.text), extensions, parent: place.current! })
    view.current = opened
    // Whatever scrolls must be reachable by keyboard.
    opened.scrollDOM.tabIndex = 0
    return () => opened.destroy()
  }, [describedBy])
  useEffect(() => {
    const changes = leastChange(view.current!.state.doc.toString(), plainLines(text))
    if (changes) view.current!.dispatch({ changes })
  }, [text])
  useEffect(() => {
    const original = theirs === undefined ? [] : unifiedMergeView({ original: plainLines(theirs), mergeControls })
    view.current!.dispatch({ effects: merging.current.reconfigure(original) })
  }, [theirs])
  useEffect(() => {
    const { state } = view.current!
    const found = problems.map(({ line, column, problem, remedy }) => {
      const { from, to } = state.doc.line(Math.min(Math.max(line ?? 1, 1), state.doc.lines))
      const start = Math.min(from + (column ?? 1) - 1, to)
      return { from: start, to, severity: 'error' as const, message: `${problem}. ${remedy}` }
    })
    view.current!.dispatch(setDiagnostics(state, found))
  }, [problems])
  useImperativeHandle(ref, () => ({
    goTo: (line) => {
      const { state } = view.current!
      const { from } = state.doc.line(Math.min(line, state.doc.lines))
      view.current!.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
      view.current!.focus()
    },
  }))
  return <div ref={place} className="border-line overflow-hidden rounded-lg border" />
}
