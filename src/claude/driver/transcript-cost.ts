import type { ByteSource } from '../../base/lib/byte-source.ts'
import { parseLine } from './line.ts'

const mark = '"type":"cost-state"'
const pieceBytes = 4 * 1024 * 1024
/** Of a conversation that talks of such lines. A start waits for the answer. */
const mostMarks = 100

/**
 * What a conversation has cost by its own transcript, US dollars. Builds that count on over a resume write it at a clean
 * end, as a `cost-state` line, and begin from the last one; 0 where there is none. See test/pins/cost.test.ts.
 */
export async function costOnDisk(file: ByteSource, sessionId: string): Promise<number> {
  let end = file.size
  for (let marks = 0; marks < mostMarks; marks += 1) {
    const place = await lastMark(file, end)
    if (place === undefined) return 0
    const cost = costOf(await lineAround(file, place), sessionId)
    if (cost !== undefined) return cost
    end = place
  }
  return 0
}

/** Looked for from the end, where a clean end leaves it. */
async function lastMark(file: ByteSource, before: number): Promise<number | undefined> {
  for (let end = before; end > 0; ) {
    const start = Math.max(0, end - pieceBytes)
    const found = (await file.read(start, end - start)).lastIndexOf(mark)
    if (found !== -1) return start + found
    if (start === 0) return undefined
    // The mark may lie across the edge.
    end = start + mark.length - 1
  }
  return undefined
}

const lineBytes = 64 * 1024

/** The whole line, if it is as short as these are. */
async function lineAround(file: ByteSource, place: number): Promise<string> {
  const start = Math.max(0, place - lineBytes)
  const bytes = await file.read(start, 2 * lineBytes)
  const begin = bytes.lastIndexOf(0x0a, place - start) + 1
  const end = bytes.indexOf(0x0a, place - start)
  return bytes.toString('utf8', begin, end === -1 ? bytes.length : end)
}

function costOf(text: string, sessionId: string): number | undefined {
  const line = parseLine(text)
  const cost = line?.['totalCostUSD']
  const isOurs = line?.type === 'cost-state' && line['sessionId'] === sessionId
  return isOurs && typeof cost === 'number' && cost >= 0 ? cost : undefined
}
