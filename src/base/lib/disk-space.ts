import { statfs } from 'node:fs/promises'

/** So much is gone in a busy afternoon of transcripts. Bytes. */
export const littleSpace = 512 * 1024 * 1024

/** Of the disk on which this file lies, for who is not root. Undefined when it does not say. */
export async function spaceAt(path: string): Promise<{ freeBytes: number; totalBytes: number } | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(path)
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  } catch {
    return undefined
  }
}
