import ts from 'typescript'
import { importsOf } from './imports.ts'
import { isTest, nodesOf, placeOf, type SourceFile } from './source-file.ts'

/** What changes a turn or a queue, and the only files that may import it. */
const owners: Readonly<Record<string, readonly string[]>> = {
  'src/kernel/turn/owned-turn.ts': [
    'src/kernel/queue/session-worker.ts',
    'src/kernel/deliver/turn-runner.ts',
    'src/kernel/recover/recovery.ts',
    'src/kernel/queue/remote-runner.ts',
  ],
  'src/kernel/queue/session-worker.ts': ['src/kernel/accept/orchestrator.ts'],
}

/** What everybody else sees of a turn and of a queue. */
const views: Readonly<Record<string, readonly string[]>> = {
  'src/kernel/turn/turn.ts': ['Turn', 'TurnFacts', 'TurnEnd'],
  'src/kernel/session/session.ts': ['SessionWork'],
}

/** They hold the id of a turn and the pair of a session, which may be on another machine, and never the objects. */
const liveObjects = new Set([
  'src/kernel/turn/turn.ts',
  'src/kernel/session/session.ts',
  'src/kernel/session/sessions.ts',
  'src/kernel/accept/orchestrator.ts',
  'src/kernel/pool/pool.ts',
])
const holdersOfIds =
  /^src\/(adapters\/(mcp|http)|kernel\/call\/(?!agent-auth|control-handler|tool-records)|views|features\/[^/]+\/(handlers\.ts|handlers\/))/

export function ownershipBreaches(files: readonly SourceFile[]): readonly string[] {
  return [...importBreaches(files), ...viewBreaches(files)]
}

function importBreaches(files: readonly SourceFile[]): string[] {
  const shipped = files.filter((file) => file.path.startsWith('src/') && !isTest(file))
  return shipped.flatMap((file) =>
    importsOf(file).flatMap((imported) => {
      if (liveObjects.has(imported) && holdersOfIds.test(file.path))
        return [`${file.path} imports ${imported}; it may hold a TurnHandle or a SessionHandle`]
      const allowed = owners[imported]
      if (allowed === undefined || allowed.includes(file.path)) return []
      return [`${file.path} imports ${imported}; only ${allowed.join(', ')} may: others read a Turn, or hold its id`]
    }),
  )
}

function viewBreaches(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const names = views[file.path] ?? []
    return nodesOf(file).flatMap((node) => {
      if (!ts.isPropertySignature(node) || !ts.isInterfaceDeclaration(node.parent)) return []
      if (!names.includes(node.parent.name.text)) return []
      const isReadonly = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword)
      return isReadonly ? [] : [`${placeOf(file, node)} can be assigned by whoever reads it: make it readonly`]
    })
  })
}
