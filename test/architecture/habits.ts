import ts from 'typescript'
import { folderOf } from './import-table.ts'
import { specifiersOf } from './imports.ts'
import { nodesOf, placeOf, type SourceFile } from './source-file.ts'

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

const flagKnowers = ['claude', 'demo']
const claudeFlags =
  /^--(resume|continue|session-id|fork-session|input-format|output-format|permission-mode|permission-prompt-tool|mcp-config|strict-mcp-config|setting-sources|append-system-prompt|system-prompt|allowed-?tools|disallowed-?tools|include-partial-messages|replay-user-messages|dangerously-skip-permissions)\b/i

/** How Claude Code is called is known in one folder, so that a new release of it is met there. */
export function claudeFlagBreaches(files: readonly SourceFile[]): readonly string[] {
  const ignorant = files.filter(({ path }) => !flagKnowers.includes(folderOf(path) ?? ''))
  return ignorant.flatMap((file) =>
    nodesOf(file).flatMap((node) =>
      (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) && claudeFlags.test(node.text)
        ? [`${placeOf(file, node)} names ${node.text}; only src/claude knows the flags of Claude Code`]
        : [],
    ),
  )
}
