import { importsOf } from './imports.ts'
import type { SourceFile } from './source-file.ts'

/** Each ring of imports once, as `a.ts → b.ts → a.ts`, imports of types included. */
export function importCycles(files: readonly SourceFile[]): readonly string[] {
  const imports = new Map(files.map((file) => [file.path, importsOf(file)]))
  const done = new Set<string>()
  const path: string[] = []
  const cycles: string[] = []

  const visit = (file: string): void => {
    const start = path.indexOf(file)
    if (start !== -1) {
      cycles.push([...path.slice(start), file].join(' → '))
      return
    }
    if (done.has(file)) return
    path.push(file)
    for (const imported of imports.get(file) ?? []) visit(imported)
    path.pop()
    done.add(file)
  }

  for (const file of imports.keys()) visit(file)
  return cycles
}
