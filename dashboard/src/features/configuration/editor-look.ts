import { EditorView } from '@codemirror/view'

/** The editor in the colours of the page, light and dark. */
export const editorLook = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--panel)', maxHeight: '75dvh' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', fontSize: '0.8125rem', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)', minHeight: '16rem' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { color: 'var(--muted)', backgroundColor: 'var(--panel)', borderRight: '1px solid var(--line)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 30%, transparent)',
  },
  '.cm-key': { color: 'var(--accent)' },
  '.cm-comment': { color: 'var(--muted)', fontStyle: 'italic' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lint-marker-error': { content: '"●"', color: 'var(--bad)', width: '1em' },
  '.cm-tooltip': { color: 'var(--ink)', backgroundColor: 'var(--raised)', border: '1px solid var(--line)' },
  '.cm-deletedChunk': { backgroundColor: 'color-mix(in srgb, var(--bad) 14%, transparent)' },
  '.cm-deletedChunk .cm-deletedText': { background: 'color-mix(in srgb, var(--bad) 25%, transparent)' },
  '.cm-changedLine, .cm-insertedLine': { backgroundColor: 'color-mix(in srgb, var(--good) 12%, transparent)' },
  '.cm-changedText': { background: 'color-mix(in srgb, var(--good) 25%, transparent)' },
  '.cm-chunkButtons button': { borderRadius: '0.375rem', padding: '0.125rem 0.5rem', margin: '0.125rem' },
  '.cm-chunkButtons button[name="accept"]': { background: 'var(--good)', color: 'var(--panel)' },
  '.cm-chunkButtons button[name="reject"]': { background: 'var(--bad)', color: 'var(--panel)' },
})
