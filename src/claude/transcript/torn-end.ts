import { messagesOpen } from './conversation-shape.ts'

const lineFeed = 0x0a
const brace = 0x7d
/** Whole lines of a tail that were not overwritten, and what a file system puts where data did not reach the disk. */
const tailLine = /^(?: {2}\],| {2}"(?:createdAt|lastUpdated)": "[^"]*",?|\}|\0*)$/

export type TornEnd =
  /** Counted from the start of the window, in bytes; `isEmpty`: there is no whole message before it. */
  | { readonly kind: 'end'; readonly offset: number; readonly isEmpty: boolean }
  /** No torn write leaves this behind: somebody else wrote it. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'further_back' }

/**
 * Where the last whole message ends in `window`, the last bytes of a torn file: the old tail was partly overwritten with
 * messages, or the file ends anywhere in them.
 */
export function findTornEnd(window: Buffer): TornEnd {
  let end = window.length
  // Of what a torn write leaves behind the last whole message, one line at most is neither.
  for (let others = 0; others < 2; ) {
    const before = end > 0 ? window.lastIndexOf(lineFeed, end - 1) : -1
    if (before === -1) return { kind: 'further_back' }
    const line = window.subarray(before + 1, end)
    const text = line.toString()
    if (text === messagesOpen) return { kind: 'end', offset: end, isEmpty: true }
    const length = messageLength(line, end === window.length - 1)
    if (length !== undefined) return { kind: 'end', offset: before + 1 + length, isEmpty: false }
    if (!tailLine.test(text)) others += 1
    end = before
  }
  return { kind: 'foreign' }
}

/** Of the message that a line begins with, in bytes; what was not overwritten of the old tail may stand behind it. */
function messageLength(line: Buffer, isLast: boolean): number | undefined {
  // The last brace is the old tail's, or it cannot be told: then it might close half a message by accident.
  const rest = isLast && line.at(-1) === brace ? line.subarray(0, -1) : line
  const message = rest.subarray(0, rest.lastIndexOf(brace) + 1)
  if (!message.toString('latin1', 0, 5).startsWith('    {')) return undefined
  try {
    JSON.parse(message.toString())
    return message.length
  } catch {
    return undefined
  }
}
