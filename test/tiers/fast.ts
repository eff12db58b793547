import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseSync } from 'vite'

/** A path from the root of the repository, with slashes, and its text. */
interface SourceFile {
  readonly path: string
  readonly text: string
}

const root = join(import.meta.dirname, '../..')

/** Modules that start processes, open sockets, or drive a browser. */
const outside =
  /^((node:)?(child_process|cluster|dgram|http|http2|https|net|tls)|ws|playwright-core|@hono\/node-server|@modelcontextprotocol\/(client|sdk)(\/.*)?)$/

/** All of Iris runs here, on simulated processes and in virtual time. */
const simulated = 'test/property/'

/** What refuses a test of this tier the outside is itself tested there: in another tier it would stay in force for the next files. */
const holdsToMemory = 'test/tiers/in-memory-only.test.ts'

/**
 * The fast tier: tests that cannot reach the outside by any import, however deep, and those on simulated processes. Imports of
 * types do not count. While they run, `in-memory-only.ts` holds them to it.
 */
export function fastTests(files: readonly SourceFile[]): readonly string[] {
  const imports = new Map(files.map((file) => [file.path, importsOf(file)]))
  const isTest = (path: string): boolean => path.endsWith('.test.ts')
  return [...imports.keys()].filter(
    (path) => isTest(path) && (path.startsWith(simulated) || path === holdsToMemory || !reachesOutside(path, imports)),
  )
}

function reachesOutside(start: string, imports: ReadonlyMap<string, readonly string[]>): boolean {
  const seen = new Set([start])
  for (const path of seen) {
    for (const imported of imports.get(path) ?? []) {
      if (outside.test(imported)) return true
      seen.add(imported)
    }
  }
  return false
}

function importsOf({ path, text }: SourceFile): readonly string[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(path, text).module
  const isValue = ({ isType }: { readonly isType: boolean }): boolean => !isType
  const specifiers = [
    // An import without names is for its effect.
    ...staticImports.flatMap(({ entries, moduleRequest }) =>
      entries.length === 0 || entries.some(isValue) ? [moduleRequest.value] : [],
    ),
    ...staticExports.flatMap(({ entries }) =>
      entries.filter(isValue).flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    ...dynamicImports.map(({ moduleRequest }) => text.slice(moduleRequest.start + 1, moduleRequest.end - 1)),
  ]
  const directory = posix.dirname(path)
  return specifiers.map((name) => (name.startsWith('.') ? posix.join(directory, name) : name))
}

/** Every file that a test may import. */
export function readTestedFiles(): readonly SourceFile[] {
  const paths = globSync('{src,dashboard/src,test,scripts,bench}/**/*.{ts,tsx}', { cwd: root })
  return paths
    .map((path) => path.replaceAll('\\', '/'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}
