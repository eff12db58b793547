import { writeSync } from 'node:fs'

/** Writes to a pipe or socket until all is written; blocks as long as the reader does not read. */
export function writeFully(descriptor: number, bytes: string | Uint8Array): void {
  const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
  for (let written = 0; written < buffer.length; ) {
    try {
      written += writeSync(descriptor, buffer, written)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // Nobody reads any more: like the real one, the fake continues and learns of it from its input.
      if (code === 'EPIPE') return
      if (code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}
