import { WaitRanOut } from '../support/eventually.ts'
import type { TestFile } from './plan.ts'
import type { Failure, FileRecord } from './record.ts'

/** A line of test/tiers/unsteady.json. */
export interface Unsteady {
  readonly file: string
  readonly test: string
  readonly date: string
  readonly commit: string
}

/** How a file that failed did when it ran again. */
export interface Rerun {
  /** The file that failed. */
  readonly file: TestFile
  /** After the files that had run before it in its process; undefined if there was no time for it. */
  readonly inCompany: boolean | undefined
  readonly alone: boolean | undefined
}

/** What the verdict needs to know of the repository. */
export interface Known {
  readonly unsteady: readonly Unsteady[]
  readonly showsPromise: (file: string, test: string) => boolean
  readonly strictKind: (file: string) => string | undefined
}

/** A file whose failure is listed this often is not forgiven any more. */
const maxListed = 2

/**
 * Why the failures of a run make it red; empty if they do not. They do not only if one file failed, each of its failures was a wait
 * that ran out in a test of no promise, the file is of no strict kind, and it passed both when it ran again.
 */
export function whyRed(failed: readonly FileRecord[], reruns: readonly Rerun[], known: Known): readonly string[] {
  const tooMany = failed.length > 1 ? [`${failed.length} files failed, and one is forgiven at most`] : []
  return [...tooMany, ...failed.flatMap((file) => ofFile(file, reruns, known).map((why) => `${file.file}: ${why}`))]
}

function ofFile({ file, project, failures }: FileRecord, reruns: readonly Rerun[], known: Known): readonly string[] {
  const rerun = reruns.find((each) => each.file.file === file && each.file.project === project)
  const kind = known.strictKind(file)
  const listed = known.unsteady.filter((each) => each.file === file).length
  return [
    ...failures.flatMap((failure) => ofFailure(file, failure, known)),
    ...(kind === undefined ? [] : [`is a ${kind} test`]),
    ...(listed < maxListed ? [] : [`is in test/tiers/unsteady.json ${listed} times`]),
    ...ofRerun('with the files before it', rerun?.inCompany),
    ...ofRerun('alone', rerun?.alone),
  ]
}

function ofFailure(file: string, { test, errors }: Failure, known: Known): readonly string[] {
  if (test === undefined) return ['failed outside of its tests']
  const other = errors.find(({ name }) => name !== WaitRanOut.name)
  return [
    ...(errors.length === 0 ? [`"${test}" failed without an error`] : []),
    ...(other === undefined ? [] : [`"${test}" failed with ${other.name}, not because a wait ran out`]),
    ...(known.showsPromise(file, test) ? [`"${test}" shows a promise`] : []),
  ]
}

function ofRerun(how: string, passed: boolean | undefined): readonly string[] {
  if (passed === undefined) return [`had no time to run again ${how}`]
  return passed ? [] : [`failed again ${how}`]
}

/** What to add to test/tiers/unsteady.json for a failure that was forgiven. */
export function unsteadyLines(failed: readonly FileRecord[], date: string, commit: string): readonly Unsteady[] {
  return failed.flatMap(({ file, failures }) => failures.map(({ test = '' }) => ({ file, test, date, commit })))
}

/** Whether a title, as the run prints it, is that of a promise; `%s` and `$name` in the title of a table stand for anything. */
export function isTitled(declared: string, printed: string): boolean {
  const parts = declared.split(/%[sdifjoO#$%]|\$[\w.]+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(printed)
}
