import { importsOf } from './imports.ts'
import { isTest, type SourceFile } from './source-file.ts'

/** What the dashboard knows of the daemon: the shapes that cross, and the reader of its stream. */
const ofIris = [
  'src/base/lib/',
  'src/base/protocol/',
  'src/base/operation/',
  'contracts of features',
  'src/adapters/client/',
]
const contract = /^src\/(features|views)\/[^/]+\/contract(\.ts$|\/)|^src\/features\/contracts\.ts$/

/** Shared ← features ← app ← main: a feature knows no other feature. */
export function dashboardBreaches(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter((file) => file.path.startsWith('dashboard/src/') && !isTest(file))
    .flatMap((file) =>
      importsOf(file)
        .filter((imported) => !mayImport(file.path, imported))
        .map(
          (imported) =>
            `${file.path} imports ${imported}; arrows go shared, features, app, and to ${ofIris.join(', ')}`,
        ),
    )
}

function mayImport(path: string, imported: string): boolean {
  if (imported.startsWith('src/'))
    return contract.test(imported) || ofIris.some((folder) => imported.startsWith(folder))
  const [from, to] = [layerOf(path), layerOf(imported)]
  if (to.layer === 'shared') return true
  if (from.layer === 'shared') return false
  if (from.layer === 'features') return to.layer === 'features' && to.feature === from.feature
  return true
}

function layerOf(path: string): { readonly layer: string; readonly feature: string | undefined } {
  const [, , layer = '', feature] = path.split('/')
  return { layer, feature }
}
