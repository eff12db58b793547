import { posix } from 'node:path'
import ts from 'typescript'
import { nodesOf, type SourceFile } from './source-file.ts'

/** What a file names in `import … from`, `export … from`, `import()` and `import('…').Type`, types included. */
export function specifiersOf(file: SourceFile): readonly string[] {
  return nodesOf(file).flatMap((node) => {
    const specifier = specifierNode(node)
    return specifier !== undefined && ts.isStringLiteralLike(specifier) ? [specifier.text] : []
  })
}

function specifierNode(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0]
  return undefined
}

/** The names in `import { … } from`, each after the path of the file that has it. */
export function namesImported(file: SourceFile): readonly string[] {
  return nodesOf(file)
    .filter(ts.isImportDeclaration)
    .flatMap(({ moduleSpecifier, importClause }) => {
      const path = posix.join(posix.dirname(file.path), (moduleSpecifier as ts.StringLiteral).text)
      const bindings = importClause?.namedBindings
      if (bindings === undefined || !ts.isNamedImports(bindings)) return []
      return bindings.elements.map(({ propertyName, name }) => `${path} ${(propertyName ?? name).text}`)
    })
}

/** The paths, from the root of the repository, of the project's own files that a file imports. */
export function importsOf(file: SourceFile): readonly string[] {
  const own = specifiersOf(file).filter((specifier) => specifier.startsWith('.'))
  return [...new Set(own.map((specifier) => posix.join(posix.dirname(file.path), specifier)))]
}
