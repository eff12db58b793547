import { afterAll } from 'vitest'
import { processorSeconds } from './processor-time.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Of a file: seconds of processor of its process and of every program that it started. */
    processor?: number
  }
}

// A file has a process of its own; what is registered first runs last.
// biome-ignore lint/correctness/noEmptyPattern: vitest wants it so.
// oxlint-disable-next-line no-empty-pattern
afterAll(({}, file) => {
  file.meta.processor = processorSeconds()
})
