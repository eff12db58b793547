import ts from 'typescript'
import type { SourceFile } from './source-file.ts'

/** Properties whose value a person reads or hears. */
const readable = new Set(
  ['aria-label', 'aria-description', 'aria-roledescription', 'aria-valuetext', 'placeholder', 'title'].concat(
    ...['label', 'alt', 'what'],
  ),
)
/** Operators of which an operand may be shown. */
const joining = new Set([
  ts.SyntaxKind.PlusToken,
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
])
const words = /\p{L}{2,}/u

/** Texts of components that are not in a `texts.ts`, where a translation finds them. */
export function literalTextBreaches(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith('dashboard/src/') && path.endsWith('.tsx'))
    .flatMap(({ path, text }) => literalsOf(path, text).map((literal) => `${path}: ${literal}`))
}

/** Texts of a `texts.ts` that no file of its part of the dashboard uses. */
export function unusedTextBreaches(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith('dashboard/src/') && path.endsWith('/texts.ts'))
    .flatMap(({ path, text }) => {
      const folder = path.slice(0, -'texts.ts'.length)
      const users = files.filter((file) => file.path.startsWith(folder) && file.path !== path)
      const used = new Set(users.flatMap((file) => [...file.text.matchAll(/\btexts\.(\w+)/g)].map(([, key]) => key)))
      const keys = [...text.matchAll(/^ {2}(\w+):/gm)].map(([, key]) => key!)
      return keys.filter((key) => !used.has(key)).map((key) => `${path}: ${key}`)
    })
}

function literalsOf(path: string, text: string): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX)
  const found: string[] = []
  const value = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) add(node)
    else if (ts.isParenthesizedExpression(node)) value(node.expression)
    else if (ts.isConditionalExpression(node)) [node.whenTrue, node.whenFalse].forEach(value)
    else if (ts.isBinaryExpression(node) && joining.has(node.operatorToken.kind)) [node.left, node.right].forEach(value)
  }
  const add = (node: ts.StringLiteralLike | ts.TemplateExpression | ts.JsxText): void => {
    const said = ts.isTemplateExpression(node)
      ? [node.head, ...node.templateSpans.map(({ literal }) => literal)].map((part) => part.text).join(' ')
      : node.text
    if (words.test(said.replaceAll(/&\w+;/g, ''))) found.push(said.replaceAll(/\s+/g, ' ').trim())
  }
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node)) add(node)
    else if (ts.isJsxAttribute(node)) {
      if (readable.has(node.name.getText(source)) && node.initializer) value(attributeValue(node.initializer))
    } else if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent) && node.expression) value(node.expression)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function attributeValue(initializer: ts.JsxAttributeValue): ts.Node {
  return ts.isJsxExpression(initializer) && initializer.expression ? initializer.expression : initializer
}
