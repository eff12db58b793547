import { afterAll } from 'vitest'
import { processorSeconds } from './processor-time.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Of a file: seconds of processor of its process and of every program that it started. */
    processor?: number
  }
}

/** Files may share a process: of the next one counts what comes after. */
const ofProcess = globalThis as { processorCounted?: number }

// What is registered first runs last.
// biome-ignore lint/correctness/noEmptyPattern: vitest wants it so.
// oxlint-disable-next-line no-empty-pattern
afterAll(({}, file) => {
  const now = processorSeconds()
  file.meta.processor = now - (ofProcess.processorCounted ?? 0)
  ofProcess.processorCounted = now
})
