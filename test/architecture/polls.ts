import ts from 'typescript'
import { nodesOf, type SourceFile } from './source-file.ts'

/** Calls and properties by which a test asks the daemon itself, rather than a file, a process or a double. */
const asksDaemon =
  /\b(callTool|callAs|asOwner|refusal|ask|send|status|stateOf|apiGet|rows|healed)\(|\.daemon\b|\bclock\.(pending|dueAt|everSet)\(/

/**
 * For each test file the number of loops that ask the daemon again and again. What the daemon knows it also says: wait for its
 * event, for a checkpoint, or until all is at rest, and look once.
 */
export function pollsOfDaemon(files: readonly SourceFile[]): Readonly<Record<string, number>> {
  const counts = files.map((file) => [file.path, pollsIn(file)] as const)
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}

function pollsIn(file: SourceFile): number {
  return nodesOf(file).filter((node) => {
    if (!ts.isCallExpression(node) || !/^(eventually|expect\.poll)$/.test(node.expression.getText())) return false
    const [look] = node.arguments
    return (
      look !== undefined && asksDaemon.test(ts.isIdentifier(look) ? declarationOf(look.text, file) : look.getText())
    )
  }).length
}

/** The text of what the file declares under that name; empty when it comes from elsewhere. */
function declarationOf(name: string, file: SourceFile): string {
  const isNamed = (node: ts.Node): boolean =>
    (ts.isVariableDeclaration(node) || ts.isFunctionDeclaration(node)) && node.name?.getText() === name
  return nodesOf(file).find(isNamed)?.getText() ?? ''
}
