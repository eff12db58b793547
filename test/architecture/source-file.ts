import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** A file as the rules see it: its path from the root of the repository, with slashes, and its text. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

const root = fileURLToPath(new URL('../..', import.meta.url))

export function readSourceFiles(): readonly SourceFile[] {
  const paths = globSync(['src/**/*.ts', 'dashboard/src/**/*.{ts,tsx}'], { cwd: root }).map((path) =>
    path.replaceAll('\\', '/'),
  )
  return paths.sort().map(readSourceFile)
}

export function readSpecs(): readonly SourceFile[] {
  return globSync('test/spec/*.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map(readSourceFile)
}

function readSourceFile(path: string): SourceFile {
  return { path, text: readFileSync(join(root, path), 'utf8') }
}

/** Everything directly in src/ and directly on its floors: folders with a slash at the end. */
export function readFolders(): readonly string[] {
  const entries = globSync(['src/*', 'src/*/*'], { cwd: root, withFileTypes: true })
  return entries
    .map((entry) => relative(join(root, 'src'), join(entry.parentPath, entry.name)) + (entry.isDirectory() ? '/' : ''))
    .sort()
}

export function isTest({ path }: SourceFile): boolean {
  return /\.test\.tsx?$/.test(path)
}

const parsed = new WeakMap<SourceFile, readonly ts.Node[]>()

/** Every node of the file, outer before inner, each knowing its parent. */
export function nodesOf(file: SourceFile): readonly ts.Node[] {
  const known = parsed.get(file)
  if (known !== undefined) return known
  const nodes: ts.Node[] = []
  const visit = (node: ts.Node): void => {
    nodes.push(node)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true))
  parsed.set(file, nodes)
  return nodes
}

/** `src/kernel/pool/pool.ts:12`, where a node begins. */
export function placeOf(file: SourceFile, node: ts.Node): string {
  const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart())
  return `${file.path}:${line + 1}`
}
