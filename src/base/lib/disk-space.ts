import { statfs } from 'node:fs/promises'

/** Bytes. Below this, Iris warns: the transcripts of a busy afternoon can take this much. */
export const littleSpace = 512 * 1024 * 1024

/** Space on this file's disk that users other than root may use. Undefined if the system does not report it. */
export async function spaceAt(path: string): Promise<{ freeBytes: number; totalBytes: number } | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(path)
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  } catch {
    return undefined
  }
}
