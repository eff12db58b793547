import ts from 'typescript'
import { folderOf } from './import-table.ts'
import { specifiersOf } from './imports.ts'
import { isTest, nodesOf, placeOf, type SourceFile } from './source-file.ts'

/** `{ ...{ a, b }, c }` keeps lines together that the formatter would divide, and makes its reader look twice. */
export function spreadLiterals(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) =>
    nodesOf(file).flatMap((node) => {
      const isObject = ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(node.expression)
      const isArray =
        ts.isSpreadElement(node) &&
        ts.isArrayLiteralExpression(node.expression) &&
        ts.isArrayLiteralExpression(node.parent)
      return isObject || isArray ? [`${placeOf(file, node)} spreads a literal: write what it contains`] : []
    }),
  )
}

const shellFunctions = ['exec', 'execSync']

/** A shell between Iris and a child would turn a team's name or path into commands. */
export function shellBreaches(files: readonly SourceFile[]): readonly string[] {
  const starters = files.filter((file) => specifiersOf(file).some((name) => /^(node:)?child_process$/.test(name)))
  return starters.flatMap((file) =>
    nodesOf(file).flatMap((node) => {
      const what = shellUse(node)
      return what === undefined ? [] : [`${placeOf(file, node)} uses ${what}; children are started without a shell`]
    }),
  )
}

function shellUse(node: ts.Node): string | undefined {
  if (ts.isImportSpecifier(node) || ts.isBindingElement(node)) {
    const name = (node.propertyName ?? node.name).getText()
    return shellFunctions.includes(name) ? name : undefined
  }
  if (ts.isNamespaceImport(node)) {
    const from = node.parent.parent.moduleSpecifier.getText()
    return from.includes('child_process') ? 'all of child_process: name what is imported' : undefined
  }
  const isShellOption =
    (ts.isPropertyAssignment(node) && node.name.getText() === 'shell' && node.initializer.getText() !== 'false') ||
    (ts.isShorthandPropertyAssignment(node) && node.name.text === 'shell')
  return isShellOption ? 'the option `shell`' : undefined
}

const speakers = ['cli', 'demo']

/** In the daemon stdout may be a protocol, and what a person should read goes to the log. */
export function consoleBreaches(files: readonly SourceFile[]): readonly string[] {
  const silent = files.filter(({ path }) => !speakers.includes(folderOf(path) ?? ''))
  return silent.flatMap((file) =>
    nodesOf(file).flatMap((node) =>
      ts.isPropertyAccessExpression(node) && node.expression.getText() === 'console'
        ? [`${placeOf(file, node)} uses ${node.getText()}; only ${speakers.join(' and ')} write to the console`]
        : [],
    ),
  )
}

const flagKnowers = ['driver', 'demo']
const claudeFlags =
  /^--(resume|continue|session-id|fork-session|input-format|output-format|permission-mode|permission-prompt-tool|mcp-config|strict-mcp-config|setting-sources|append-system-prompt|system-prompt|allowed-?tools|disallowed-?tools|include-hook-events|include-partial-messages|replay-user-messages|dangerously-skip-permissions)\b/i

/** How Claude Code is called is known in one folder, so that a new release of it is met there. */
export function claudeFlagBreaches(files: readonly SourceFile[]): readonly string[] {
  const ignorant = files.filter(({ path }) => !flagKnowers.includes(folderOf(path) ?? ''))
  return ignorant.flatMap((file) =>
    nodesOf(file).flatMap((node) =>
      (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) && claudeFlags.test(node.text)
        ? [`${placeOf(file, node)} names ${node.text}; only src/claude/driver knows the flags of Claude Code`]
        : [],
    ),
  )
}

/** Who opens a database for writing: the store; and the lock, the index of the search and a new backup, of which none is lost. */
const writers = [
  'src/platform/store/store.ts',
  'src/platform/store/instance-lock.ts',
  'src/features/search/index-file.ts',
  'src/app/daemon/backup-file.ts',
]

/** Files whose statements are a `Store`'s. */
const ofStore = /^src\/(platform\/store|(features|views)\/[^/]+\/rows)(\/|\.ts$)/

/**
 * A connection of SQLite that is not a `Store` reads `RETURNING` with `get()` as if its commit could not fail, and says
 * of a full disk what nobody understands.
 */
export function rawDatabaseBreaches(files: readonly SourceFile[]): readonly string[] {
  return files.filter(isProduct).flatMap((file) =>
    nodesOf(file).flatMap((node) => {
      if (ts.isNewExpression(node) && node.expression.getText() === 'DatabaseSync' && !writers.includes(file.path)) {
        const given = node.arguments?.map((argument) => argument.getText()).join() ?? ''
        const isHarmless = given.includes('readOnly: true') || given.includes(':memory:')
        return isHarmless ? [] : [`${placeOf(file, node)} opens a database to write; only Store does`]
      }
      const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)
      return isText && /\bRETURNING\b/.test(node.text) && !ofStore.test(file.path)
        ? [
            `${placeOf(file, node)} has RETURNING; only src/platform/store and rows of features, whose statements are a Store's`,
          ]
        : []
    }),
  )
}

/** Who may use `fetch`: what goes out of this machine. */
const outgoing = [
  'src/base/lib/download.ts',
  'src/features/channels/slack/slack-platform.ts',
  'src/features/channels/discord/discord-adapter.ts',
]

/**
 * The environment can send `fetch` and the global agent of node:http through a proxy, which would read the credential. A daemon
 * on this machine is asked with src/adapters/client/send.ts, which has its own agent.
 */
export function proxiedRequests(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter((file) => isProduct(file) && !outgoing.includes(file.path))
    .flatMap((file) =>
      nodesOf(file).flatMap((node) =>
        ts.isCallExpression(node) && /^(globalThis\.)?fetch$/.test(node.expression.getText())
          ? [`${placeOf(file, node)} uses fetch, which may go through a proxy; use src/adapters/client/send.ts`]
          : [],
      ),
    )
}

const rxjsHome = 'src/base/lib/subject.ts'

/** All of rxjs is as large as our largest folder; its types cost nothing. */
export function rxjsBreaches(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter((file) => isProduct(file) && file.path !== rxjsHome)
    .flatMap((file) =>
      nodesOf(file).flatMap((node) => {
        if (!ts.isImportDeclaration(node) || node.importClause?.isTypeOnly === true) return []
        const from = (node.moduleSpecifier as ts.StringLiteral).text
        return from === 'rxjs' || from.startsWith('rxjs/')
          ? [`${placeOf(file, node)} loads ${from}; take it from ${rxjsHome}`]
          : []
      }),
    )
}

function isProduct(file: SourceFile): boolean {
  return file.path.startsWith('src/') && !isTest(file)
}

const looks =
  /^(count|isVisible|isHidden|isChecked|isDisabled|isEnabled|textContent|innerText|inputValue|getAttribute|allTextContents|allInnerTexts)$/
const instead = 'wait with a locator or test/support/page-waits.ts'

/**
 * A page changes after its cause. A test that looks once sees the old page on a slow machine, and fails there; one that looks
 * again and again takes the processor from the page, and says less of what it awaited than a wait of Playwright.
 */
export function hastyLooks(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => {
    const hasPage = specifiersOf(file).some((name) => name.endsWith('support/browser.ts'))
    return nodesOf(file).flatMap((node) => {
      if (!ts.isCallExpression(node)) return []
      const called = node.expression.getText()
      const [given] = node.arguments
      if (called === 'expect' && given !== undefined && ts.isAwaitExpression(given) && calls(given.expression, looks))
        return [`${placeOf(file, node)} looks once at the page; ${instead}`]
      const isPoll =
        called === 'expect.poll' ||
        (called === 'eventually' &&
          given !== undefined &&
          within(given).some((part) => calls(part, looks) || calls(part, /^(evaluate|title|url)$/, /\bpage$/)))
      return hasPage && isPoll ? [`${placeOf(file, node)} polls the page; ${instead}`] : []
    })
  })
}

function calls(node: ts.Node, method: RegExp, of = /./): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false
  return method.test(node.expression.name.text) && of.test(node.expression.expression.getText())
}

function within(node: ts.Node): readonly ts.Node[] {
  const nodes = [node]
  ts.forEachChild(node, (child) => void nodes.push(...within(child)))
  return nodes
}
