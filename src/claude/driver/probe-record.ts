import { realpathSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { isRecord } from '../../base/lib/is-record.ts'
import { plainFile } from '../../base/lib/plain-file.ts'

/** Identifies a program on disk: if it is replaced under the same path, a field differs. */
export interface ProgramFile {
  /** The path as found; `realPath` has all links resolved. */
  readonly path: string
  readonly realPath: string
  readonly bytes: number
  /** Modification time, milliseconds since the epoch. */
  readonly changedAt: number
}

/** The result of `iris doctor --probe` for one program. */
export interface ProbeRecord {
  readonly program: ProgramFile
  readonly version: string | null
  /** Milliseconds since the epoch. */
  readonly at: number
  /** `good`: the program keeps every clause; `unknown`: nothing differs, but some clauses could not be tested. */
  readonly verdict: 'good' | 'bad' | 'unknown'
  /** Clauses that it does not keep. */
  readonly differs: readonly string[]
}

/** Undefined if the file cannot be read. */
export function programFile(path: string): ProgramFile | undefined {
  try {
    const { size: bytes, mtimeMs: changedAt } = statSync(path)
    return { path, realPath: realpathSync(path), bytes, changedAt }
  } catch {
    return undefined
  }
}

/**
 * The newest record and the newest good record of each program, newest first; empty if the file is absent or damaged.
 */
export function readProbes(file: string): readonly ProbeRecord[] {
  try {
    const records: unknown = JSON.parse(plainFile(file))
    return Array.isArray(records) ? records.filter(isProbe) : []
  } catch {
    return []
  }
}

/** Adds a record to the file. The directory must exist. Throws the file system's errors. */
export function writeProbe(file: string, record: ProbeRecord): void {
  const isGood = record.verdict === 'good'
  const others = readProbes(file).filter(
    ({ program, verdict }) => program.path !== record.program.path || (verdict === 'good' && !isGood),
  )
  writeFileSync(`${file}.new`, `${JSON.stringify([record, ...others])}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** How a program relates to the probed ones. `changed`: it was not probed, but another program was found good. */
export type Probed =
  | { readonly kind: 'good' | 'bad' | 'changed'; readonly record: ProbeRecord }
  | { readonly kind: 'unprobed' }

export function probedOf(records: readonly ProbeRecord[], program: ProgramFile): Probed {
  const own = records.find((record) => record.verdict !== 'unknown' && isSame(record.program, program))
  if (own !== undefined) return { kind: own.verdict === 'good' ? 'good' : 'bad', record: own }
  const good = records.filter(({ verdict }) => verdict === 'good')
  const record = good.find(({ program: { path } }) => path === program.path) ?? good[0]
  return record === undefined ? { kind: 'unprobed' } : { kind: 'changed', record }
}

function isSame(a: ProgramFile, b: ProgramFile): boolean {
  return a.path === b.path && a.realPath === b.realPath && a.bytes === b.bytes && a.changedAt === b.changedAt
}

function isProbe(value: unknown): value is ProbeRecord {
  return (
    isRecord(value) && isRecord(value['program']) && Array.isArray(value['differs']) && Number.isFinite(value['at'])
  )
}
