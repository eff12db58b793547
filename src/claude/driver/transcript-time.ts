import { parseLine } from '../../base/agent/line.ts'
import type { ByteSource } from '../../base/lib/byte-source.ts'

/** The search stops at a range of this size. */
const nearBytes = 64 * 1024
const chunkBytes = 64 * 1024
const maxLineBytes = 64 * 1024 * 1024

/** When the CLI wrote a line of its transcript, milliseconds since the epoch; undefined if the line has no time. */
export function writtenAt(line: { readonly [field: string]: unknown }): number | undefined {
  const at = typeof line['timestamp'] === 'string' ? Date.parse(line['timestamp']) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

/**
 * The byte where a line starts, such that every earlier line was written before `at`, and only a few of the later ones.
 * The CLI appends in order of time, so a binary search reads only a few pieces of a large file.
 */
export async function placeOfTime(file: ByteSource, at: number): Promise<number> {
  let [low, high] = [0, file.size]
  while (high - low > nearBytes) {
    const middle = low + Math.floor((high - low) / 2)
    const found = await timedLine(file, middle, high)
    if (found === undefined || found.at >= at) high = middle
    else low = found.end
  }
  return low
}

interface TimedLine {
  readonly at: number
  /** Where the next line begins. */
  readonly end: number
}

/** The first whole line after `from` that has a time and ends at or before `to`. */
async function timedLine(file: ByteSource, from: number, to: number): Promise<TimedLine | undefined> {
  let start = await lineEnd(file, from, to)
  while (start !== undefined && start < to) {
    const end = await lineEnd(file, start, to)
    if (end === undefined || end - start > maxLineBytes) return undefined
    const text = await file.read(start, end - start)
    const line = parseLine(text.toString('utf8'))
    const at = line && writtenAt(line)
    if (at !== undefined) return { at, end }
    start = end
  }
  return undefined
}

/** The place after the first line feed between `from` and `to`; undefined if there is none. */
async function lineEnd(file: ByteSource, from: number, to: number): Promise<number | undefined> {
  for (let start = from; start < to; start += chunkBytes) {
    const chunk = await file.read(start, Math.min(chunkBytes, to - start))
    const found = chunk.indexOf(0x0a)
    if (found !== -1) return start + found + 1
    if (chunk.length === 0) return undefined
  }
  return undefined
}
