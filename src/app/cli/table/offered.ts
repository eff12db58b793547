import { readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeDirectory } from '../../../base/lib/make-directory.ts'
import { plainFile } from '../../../base/lib/plain-file.ts'
import type { Offered } from './operations-offered.ts'

interface Kept {
  /** Path, time and size of each source. */
  readonly sources: string
  readonly operations: Offered
}

const inDist = fileURLToPath(new URL('../../../../dist/offered.json', import.meta.url))
const protocol = fileURLToPath(new URL('../../../base/protocol', import.meta.url))

/**
 * What commands need of the contracts, cached in dist/ because the contracts take too long to load for a command. A
 * checkout renews the cache when a contract has changed; the package contains it.
 */
export async function offeredOperations(file = inDist): Promise<Offered> {
  const sources = import.meta.url.endsWith('.ts') ? stateOfSources() : undefined
  const kept = keptIn(file)
  if (kept !== undefined && (sources === undefined || sources === kept.sources)) return kept.operations
  const { operationsOffered } = await import('./operations-offered.ts')
  const operations = operationsOffered()
  if (sources !== undefined) keep(file, { sources, operations })
  return operations
}

function stateOfSources(): string {
  const files = readdirSync(protocol, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  const states = files.toSorted().map((path) => {
    const { mtimeMs, size } = statSync(join(protocol, path))
    return `${path} ${mtimeMs} ${size}`
  })
  return states.join('\n')
}

function keptIn(file: string): Kept | undefined {
  try {
    return JSON.parse(plainFile(file))
  } catch {
    return undefined
  }
}

/** Several commands may write it at once, and some may not write there. */
function keep(file: string, kept: Kept): void {
  const made = `${file}.${process.pid}`
  try {
    makeDirectory(dirname(file), 0o777)
    writeFileSync(made, JSON.stringify(kept))
    renameSync(made, file)
  } catch {
    // The next command builds it again.
  }
}
