import { keyOf, type TestFile } from './plan.ts'
import type { FileRecord, RunRecord } from './record.ts'
import type { Rerun } from './verdict.ts'

/** Runs files, one after the other, in one process. */
export type RunTogether = (files: readonly TestFile[], signal: AbortSignal) => Promise<RunRecord>

/**
 * Runs each file that failed again: after the files that had run before it in its process, then alone. None begins
 * once the signal is aborted, and one that runs then is ended.
 */
export async function rerun(
  failed: readonly FileRecord[],
  run: RunTogether,
  signal: AbortSignal,
): Promise<readonly Rerun[]> {
  const reruns: Rerun[] = []
  for (const { project, file, before } of failed) {
    const passes = async (files: readonly TestFile[]): Promise<boolean | undefined> => {
      if (signal.aborted) return undefined
      return passedIn(await run(files, signal), { project, file })
    }
    const inCompany = await passes([...before, { project, file }])
    reruns.push({ file: { project, file }, inCompany, alone: await passes([{ project, file }]) })
  }
  return reruns
}

/** Undefined if the run ended before the file did. */
function passedIn({ files, errors, isWhole }: RunRecord, file: TestFile): boolean | undefined {
  const found = files.find((each) => keyOf(each) === keyOf(file))
  if (found === undefined || !isWhole) return undefined
  return found.failures.length === 0 && errors.length === 0
}
