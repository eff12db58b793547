import { readFileSync } from 'node:fs'
import type { TestFile } from './plan.ts'
import type { Program } from './program-of.ts'

export interface Failure {
  /** The title of the test itself; undefined for a failure of the file, of a `describe` or of one of its hooks. */
  readonly test: string | undefined
  /** Of each error its class and its message. */
  readonly errors: readonly { readonly name: string; readonly message: string }[]
}

export interface FileRecord extends TestFile {
  readonly passed: number
  readonly failures: readonly Failure[]
  readonly wallMs: number
  /** In seconds. */
  readonly processor: number
  /** The same by the parts of `.ci/run`. */
  readonly parts: Readonly<Record<string, number>>
  /** The files that ran before it in the same process, in order. */
  readonly before: readonly TestFile[]
}

type Starts = Partial<Record<Program, number>>

/** The last line of a record. */
interface RunEnd {
  /** Errors outside of the tests. */
  readonly errors: readonly string[]
  /** By the key of a file; an empty key for those whose file is not known. */
  readonly starts: Readonly<Record<string, Starts>>
  /** What it took to find out the starts, in seconds of processor. */
  readonly samplerSeconds: number
}

export interface RunRecord extends RunEnd {
  readonly files: readonly FileRecord[]
  /** False if the run ended before its end: it was stopped, or vitest failed. */
  readonly isWhole: boolean
}

/** A line for each file that ended, and one at the end: what is there counts even if the run was stopped. */
export function readRecord(path: string): RunRecord {
  const lines = linesOf(path).map((line) => JSON.parse(line) as FileRecord | RunEnd)
  const files = lines.filter((line) => 'file' in line)
  const end = lines.find((line) => 'starts' in line)
  return { errors: [], starts: {}, samplerSeconds: 0, ...end, files, isWhole: end !== undefined }
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}
