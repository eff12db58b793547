import type { FileHandle } from 'node:fs/promises'
import { ownFile } from '../../base/lib/byte-source.ts'
import { type ConversationTail, matchTail, maxTailBytes } from './conversation-shape.ts'
import { readEnd } from './private-file.ts'
import { findTornEnd } from './torn-end.ts'

/** Where to write the next message. */
export interface ConversationEnd {
  readonly position: number
  /** Whether there is no message yet. */
  readonly isEmpty: boolean
  /** Undefined if the tail is torn. */
  readonly tail: ConversationTail | undefined
}

const firstWindowBytes = 256 * 1024
/** Larger than any write: some small lines and one of the longest. */
const widestWindowBytes = 64 * 1024 * 1024

/** Reads only the end of the file. Undefined if the file is not a conversation or its head is incomplete. */
export async function findEnd(file: FileHandle, size: number): Promise<ConversationEnd | undefined> {
  const tail = matchTail(await readEnd(file, size, maxTailBytes))
  if (tail !== undefined) return { position: size - tail.bytes, isEmpty: tail.isEmpty, tail }
  for (let width = firstWindowBytes; width <= widestWindowBytes; width *= 4) {
    const window = await readEnd(file, size, width)
    const torn = findTornEnd(window)
    if (torn.kind === 'end') {
      return { position: size - window.length + torn.offset, isEmpty: torn.isEmpty, tail: undefined }
    }
    if (torn.kind === 'foreign' || window.length === size) return undefined
  }
  return undefined
}

const recentBytes = 16 * 1024 * 1024

/** The uuids in the last 16 MiB of the file; empty if there is no such file. */
export async function lastUuids(path: string): Promise<ReadonlySet<string>> {
  const file = await ownFile(path).catch(() => undefined)
  const from = Math.max(0, (file?.size ?? 0) - recentBytes)
  const text = (await file?.read(from, recentBytes))?.toString('latin1') ?? ''
  return new Set(Array.from(text.matchAll(/"uuid":"([0-9a-f-]{36})"/g), ([, uuid]) => uuid!))
}
