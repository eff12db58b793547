import type { ByteSource } from '../../base/lib/byte-source.ts'
import { type Line, parseLine } from './line.ts'
import { TurnLines } from './turn-lines.ts'

/** Whether the answer to a delivery stands in the transcript and yet is no part of the conversation any more. */
export async function leavesOut(file: ByteSource, delivery: string): Promise<boolean> {
  const lines = (await tailOf(file)).toString('utf8').split('\n').map(parseLine)
  return leavesAnswerOut(
    lines.filter((line) => line !== undefined),
    delivery,
  )
}

/**
 * Pure. Each entry names the one it follows, and the CLI resumes from the last one. Of two processes that had the session
 * open, the one that wrote last went on from what it knew: what the other had written since is no ancestor of it.
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
    // Its message, or one from before it, is reached without it.
    if (place <= since) return true
    at = place < places.get(at['uuid'])! ? chain[place] : undefined
  }
  return false
}

/** Where nothing is due any more that was started in the background. */
function firstAnswer(lines: readonly Line[]): unknown {
  const turn = new TurnLines()
  for (const line of lines) {
    turn.take(line)
    if (turn.answer) return turn.answer['uuid']
  }
  return undefined
}

/** Long enough for what a person says at one sitting; where the chain leaves it, nothing is claimed. */
const tailBytes = 4 * 1024 * 1024

function tailOf(file: ByteSource): Promise<Buffer> {
  const length = Math.min(file.size, tailBytes)
  return file.read(file.size - length, length)
}
