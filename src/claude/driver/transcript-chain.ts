import type { ByteSource } from '../../base/lib/byte-source.ts'
import { type Line, parseLine } from './line.ts'
import { TurnLines } from './turn-lines.ts'

/** Whether a transcript has the answer to a delivery, but the conversation no longer includes it. */
export async function leavesOut(file: ByteSource, delivery: string): Promise<boolean> {
  const lines = (await tailOf(file)).toString('utf8').split('\n').map(parseLine)
  return leavesAnswerOut(
    lines.filter((line) => line !== undefined),
    delivery,
  )
}

/**
 * Pure. Each entry names its parent, and the CLI resumes from the last entry. If two processes had the session open,
 * the one that wrote last continued from what it knew, so entries of the other are no ancestors of its last one.
 */
export function leavesAnswerOut(lines: readonly Line[], delivery: string): boolean {
  const chain = lines.filter((line) => typeof line['uuid'] === 'string' && line['isSidechain'] !== true)
  const places = new Map(chain.map((line, index) => [line['uuid'], index]))
  const since = chain.findIndex((line) => line['uuid'] === delivery)
  const answer = since === -1 ? undefined : firstAnswer(chain.slice(since + 1))
  if (answer === undefined) return false
  for (let at: Line | undefined = chain.at(-1); at !== undefined; ) {
    if (at['uuid'] === answer) return false
    const place: number | undefined = places.get(at['parentUuid'] ?? at['logicalParentUuid'])
    if (place === undefined) return false
    // The chain reaches the message, or an earlier entry, without passing the answer.
    if (place <= since) return true
    at = place < places.get(at['uuid'])! ? chain[place] : undefined
  }
  return false
}

/** The uuid of the first answer after which no report of a background task is due. */
function firstAnswer(lines: readonly Line[]): unknown {
  const turn = new TurnLines()
  for (const line of lines) {
    turn.take(line)
    if (turn.answer) return turn.answer['uuid']
  }
  return undefined
}

/** Enough for one sitting of a person. If the chain leads to before the tail, `leavesOut` returns false. */
const tailBytes = 4 * 1024 * 1024

function tailOf(file: ByteSource): Promise<Buffer> {
  const length = Math.min(file.size, tailBytes)
  return file.read(file.size - length, length)
}
