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
const sourceRoot = fileURLToPath(new URL('../../../', import.meta.url))

/**
 * The parts of the contracts that commands need, cached in dist/ because loading the contracts takes too long for a
 * command. A checkout renews the cache when a contract has changed; the package contains it.
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
  const states = sourcesOfContracts().map((path) => {
    const { mtimeMs, size } = statSync(join(sourceRoot, path))
    return `${path} ${mtimeMs} ${size}`
  })
  return states.join('\n')
}

/** The files of the contracts, and the files in base/ that they use: sorted paths relative to src/. */
function sourcesOfContracts(): string[] {
  const shared = ['base/protocol', 'base/operation'].flatMap(filesIn)
  const own = ['features', 'views'].flatMap((floor) =>
    readdirSync(join(sourceRoot, floor)).flatMap((name) => {
      const folder = `${floor}/${name}`
      if (name.endsWith('.ts')) return [folder]
      return filesIn(folder).flatMap((path) => (path === `${folder}/contract` ? filesIn(path) : path))
    }),
  )
  const ofContracts = own.filter((path) => /contract(s?\.ts$|\/)/.test(path))
  return [...shared, ...ofContracts].filter((path) => path.endsWith('.ts')).toSorted()
}

function filesIn(folder: string): string[] {
  return readdirSync(join(sourceRoot, folder)).map((name) => `${folder}/${name}`)
}

function keptIn(file: string): Kept | undefined {
  try {
    return JSON.parse(plainFile(file))
  } catch {
    return undefined
  }
}

/** Writes the cache. Several commands may write it at once, and some may have no right to write there. */
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
