import { parseLine } from '../../base/agent/line.ts'
import type { Spent } from '../../base/agent/run-result.ts'
import type { ByteSource } from '../../base/lib/byte-source.ts'
import { tokensOfModels } from './result.ts'

const mark = '"type":"cost-state"'
const pieceBytes = 4 * 1024 * 1024
/**
 * How many occurrences of the mark are examined. A conversation may itself quote such lines, and a start waits for the
 * search.
 */
const maxMarks = 100

/**
 * The usage of a conversation according to its transcript. Builds that keep counting after a resume write a
 * `cost-state` line at a clean end, and continue counting from the last such line. Undefined if there is none. See
 * test/pins/cost.test.ts.
 */
export async function spentOnDisk(file: ByteSource, sessionId: string): Promise<Spent | undefined> {
  let end = file.size
  for (let marks = 0; marks < maxMarks; marks += 1) {
    const place = await lastMark(file, end)
    if (place === undefined) return undefined
    const spent = spentIn(await lineAround(file, place), sessionId)
    if (spent !== undefined) return spent
    end = place
  }
  return undefined
}

/** Searches from the end, because a clean end puts the line there. */
async function lastMark(file: ByteSource, before: number): Promise<number | undefined> {
  for (let end = before; end > 0; ) {
    const start = Math.max(0, end - pieceBytes)
    const found = (await file.read(start, end - start)).lastIndexOf(mark)
    if (found !== -1) return start + found
    if (start === 0) return undefined
    // The mark may span two pieces.
    end = start + mark.length - 1
  }
  return undefined
}

const lineBytes = 64 * 1024

/** The whole line around `place`, if it is short, as `cost-state` lines are. */
async function lineAround(file: ByteSource, place: number): Promise<string> {
  const start = Math.max(0, place - lineBytes)
  const bytes = await file.read(start, 2 * lineBytes)
  const begin = bytes.lastIndexOf(0x0a, place - start) + 1
  const end = bytes.indexOf(0x0a, place - start)
  return bytes.toString('utf8', begin, end === -1 ? bytes.length : end)
}

function spentIn(text: string, sessionId: string): Spent | undefined {
  const line = parseLine(text)
  const costUsd = line?.['totalCostUSD']
  const isOurs = line?.type === 'cost-state' && line['sessionId'] === sessionId
  if (!isOurs || typeof costUsd !== 'number' || costUsd < 0) return undefined
  return { costUsd, tokens: tokensOfModels(line['modelUsage']) }
}
