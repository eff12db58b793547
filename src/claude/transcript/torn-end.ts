import { messagesOpen } from './conversation-shape.ts'

const lineFeed = 0x0a
const brace = 0x7d
/** A whole line of the old tail, or the NULs that a file system leaves where data did not reach the disk. */
const tailLine = /^(?: {2}\],| {2}"(?:createdAt|lastUpdated)": "[^"]*",?|\}|\0*)$/

export type TornEnd =
  /** `offset`: bytes from the start of the window; `isEmpty`: there is no complete message before it. */
  | { readonly kind: 'end'; readonly offset: number; readonly isEmpty: boolean }
  /** No torn write leaves such an end, so something else wrote the file. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'further_back' }

/**
 * Finds the end of the last complete message in `window`, the last bytes of a torn file. Either new messages have
 * replaced a part of the old tail, or the file ends within them.
 */
export function findTornEnd(window: Buffer): TornEnd {
  let end = window.length
  // After the last complete message, a torn write leaves at most one line that is neither a message nor part of the
  // tail.
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

/** Bytes of the message at the start of a line, which may be followed by remains of the old tail. */
function messageLength(line: Buffer, isLast: boolean): number | undefined {
  // The last brace may be the old tail's, which could close half a message by accident.
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
