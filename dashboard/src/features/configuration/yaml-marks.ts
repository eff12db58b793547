import {
  Decoration,
  type DecorationSet,
  type EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'

const looks = { key: Decoration.mark({ class: 'cm-key' }), comment: Decoration.mark({ class: 'cm-comment' }) }

/**
 * Finds keys and comments by guessing from each line, which is good enough for colours and needs a tenth of the code of
 * a parser.
 */
const matcher = new MatchDecorator({
  regexp: /^\s*(?:- )?["']?[\w.@-]+["']?(?=\s*:(?:\s|$))|(?:^|\s)#.*$/gm,
  decoration: ([match]) => (match.trimStart().startsWith('#') ? looks.comment : looks.key),
})

export const yamlMarks = ViewPlugin.fromClass(
  class {
    marks: DecorationSet
    constructor(view: EditorView) {
      this.marks = matcher.createDeco(view)
    }
    update(update: ViewUpdate) {
      this.marks = matcher.updateDeco(update, this.marks)
    }
  },
  { decorations: ({ marks }) => marks },
)
