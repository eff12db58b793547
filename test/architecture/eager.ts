import type { SourceFile } from './source-file.ts'

/** Folders of features whose code costs nothing while their key of config.yaml is absent. */
const onDemand = 'otlp|nats|telegram|discord|slack'
/** Their own code, and programs that run beside the daemon. */
const others = new RegExp(`^src/(?:features/[^/]+/(?:${onDemand}|commands|checks)|app/(?:cli|doctor|probe|demo))/`)
const eager = new RegExp(`^(?:import|export) (?!type\\b)[^'"]*?from '([^']*/(?:${onDemand})/[^']*)'`, 'gm')

/** Imports of such a folder by the daemon that are neither of a type nor made when they are needed. */
export function eagerBreaches(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith('src/') && !others.test(path))
    .flatMap(({ path, text }) => [...text.matchAll(eager)].map(([, from]) => `${path} loads ${from} at the start`))
}
