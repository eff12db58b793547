import ts from 'typescript'
import type { SourceFile } from './source-file.ts'

/** Attributes and properties whose value a person reads or hears, if it is one small word too. */
const readable = new Set(
  ['aria-label', 'aria-description', 'aria-roledescription', 'aria-valuetext', 'placeholder', 'title'].concat(
    ...['label', 'alt', 'what', 'word', 'words', 'note', 'all', 'remedy', 'detail', 'text'],
  ),
)
/** Operators of which an operand may be shown. */
const joining = new Set([
  ts.SyntaxKind.PlusToken,
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
])
const comparing = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.InKeyword,
])
const words = /\p{L}{2,}/u
/** What someone says begins like a sentence, or has a word beside another one, a number or a sign (§). */
const saying =
  /^\p{Lu}\p{Ll}|\p{L}{2,}['’]?[,;:.]? [\p{L}§]|[\d§][,;:.]? \p{L}{2,}|\p{L}{3,} $|^ \p{L}{2,}|\p{L}{2,}[.…]$/u
/** Calls whose text is for the program: selectors, names of files, what developers see. */
const programming =
  /(?:^|\.)(?:matchMedia|closest|querySelector(?:All)?|createElement|lazyRouteComponent|clsx|getPropertyValue|import|addEventListener|includes|theme)$/
/** What nobody reads, by its name: styles, keys of lists and of the keyboard. */
const unread =
  /^(?:class(?:Name)?|style|looks?|strokes?|colou?rs?|transform|stroke|fill|key|place|rel|aria-keyshortcuts)$|Colours$|Look$/
/** Tailwind's classes and CSS. */
const style = /(?:^| )!?[a-z:]+-[\w/.]+(?: [^ ]+)* !?[a-z:]+-[\w/.]+(?: |$)|[a-z]-\[|\bvar\(--|^\d+px/

/** Texts that stay where they are, each with its reason. */
const kept: readonly (readonly [path: string, text: RegExp, why: string])[] = [
  ['features/inbox/keys.ts', /^[a-z]+$/, 'names of actions, whose words are in texts.ts'],
  ['features/inbox/opened/ask-again-dialog.tsx', /^ask-again /, 'the key of a call'],
  ['features/chat/chat-composer.tsx', /^iris-chat /, 'where the browser keeps a draft'],
  ['shared/message/use-asking.ts', /^iris-draft /, 'where the browser keeps a draft'],
  ['shared/api/operations.ts', /^Problem$/, 'the name of a class of errors'],
  ['shared/format/figures.ts', /^[KMGT]iB$/, 'signs of units, the same in all languages'],
  ['shared/ui/page-title.ts', /^Iris$/, 'the name of the product'],
  ['shared/ui/team-colors.ts', /^no hue$/, 'a key among the hues'],
]

/** Texts of the dashboard that are not in a `texts.ts`, where a translation finds them. */
export function literalTextBreaches(files: readonly SourceFile[]): string[] {
  return files.filter(({ path }) => isDashboard(path) && !path.endsWith('/texts.ts')).flatMap(literalsOf)
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

/** Numbers and times that are put together by hand: `shared/format` writes them as the browser's language does. */
export function handmadeFigureBreaches(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => isDashboard(path) && !path.startsWith('dashboard/src/shared/format/'))
    .filter(({ path }) => !drawn.has(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\.toFixed\(|\.toLocale\w+\(|\bIntl\.|\} ?(?:ms|s|min|h|%|[KMG]i?B)\b(?!-)/g)].map(
        ([found]) => `${path}: ${found}`,
      ),
    )
}

/** Coordinates and widths, which nobody reads. */
const drawn: ReadonlySet<string> = new Set([
  'dashboard/src/features/switchboard/layout.ts',
  'dashboard/src/features/switchboard/map-node.tsx',
  'dashboard/src/features/trace/scale.ts',
])

function isDashboard(path: string): boolean {
  return path.startsWith('dashboard/src/') && !/\.test\.tsx?$/.test(path)
}

function literalsOf({ path, text }: SourceFile): string[] {
  const kind = path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (isSkipped(node, source)) return
    if (ts.isJsxText(node) || ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const said = saidBy(node)
      const isText = isShown(node, source) ? words.test(said) : isSaid(node, said, source) && !style.test(said)
      if (isText && !kept.some(([at, what]) => path.endsWith(at) && what.test(said))) {
        found.push(`${path}: ${said.replaceAll(/\s+/g, ' ').trim()}`)
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** The words of a text; what is put into it at run time is a sign. */
function saidBy(node: ts.JsxText | ts.StringLiteralLike | ts.TemplateExpression): string {
  if (!ts.isTemplateExpression(node)) return node.text.replaceAll(/&\w+;/g, '')
  return [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join('§')
}

/** What is not for people, with all that it contains: types, imports, styles, comparisons, calls of the platform. */
function isSkipped(node: ts.Node, source: ts.SourceFile): boolean {
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true
  if (ts.isCallExpression(node)) return programming.test(node.expression.getText(source))
  if (ts.isNewExpression(node)) return /^(?:Error|StreamRefused)$/.test(node.expression.getText(source))
  if (ts.isJsxAttribute(node) || ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node)) {
    return unread.test(node.name.getText(source))
  }
  return isCompared(node)
}

/** What is compared with something, or names it. */
function isCompared(node: ts.Node): boolean {
  const { parent } = node
  if (parent === undefined) return false
  if (ts.isCaseClause(parent)) return parent.expression === node
  if (ts.isElementAccessExpression(parent)) return parent.argumentExpression === node
  if (ts.isPropertyAssignment(parent)) return parent.name === node
  return ts.isBinaryExpression(parent) && comparing.has(parent.operatorToken.kind)
}

/** Whether it is text of a page, or the value of something that a person reads. */
function isShown(node: ts.Node, source: ts.SourceFile): boolean {
  if (ts.isJsxText(node)) return true
  const { parent } = node
  if (ts.isParenthesizedExpression(parent)) return isShown(parent, source)
  if (ts.isConditionalExpression(parent)) return parent.condition !== node && isShown(parent, source)
  if (ts.isBinaryExpression(parent)) return joining.has(parent.operatorToken.kind) && isShown(parent, source)
  if (ts.isJsxExpression(parent)) return ts.isJsxAttribute(parent.parent) ? isShown(parent, source) : true
  if (!ts.isJsxAttribute(parent) && !ts.isPropertyAssignment(parent)) return false
  return readable.has(parent.name.getText(source))
}

/** Whether it reads like something said, or is in a table of words: `const words: Record<State, string> = { … }`. */
function isSaid({ parent }: ts.Node, said: string, source: ts.SourceFile): boolean {
  if (saying.test(said)) return true
  if (!ts.isPropertyAssignment(parent) || !ts.isVariableDeclaration(parent.parent.parent)) return false
  const type = parent.parent.parent.type?.getText(source) ?? ''
  return words.test(said) && /\bRecord<.*\bstring\b[^<>]*>+$/s.test(type)
}
