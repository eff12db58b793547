import { isUnseen } from '../../base/lib/visible.ts'
import type { ChatPlatform } from './chat-platform.ts'
import { openDirections } from './text-direction.ts'

const fence = /^(`{3,}|~{3,})(.*)$/

/** A row of a table, and the line below a table's first row. */
const tableRow = /^ {0,3}\|.*\|\s*$/
const belowHead = /^ {0,3}\|(?:\s*:?-+:?\s*\|)+\s*$/
const link = /\[[^[\]\n]{1,200}\]\([^()\s]{1,1000}\)/g
const maxLink = 1300
const maxCharacter = 64

/** UTF-16 units reserved for the line that closes a code block. */
const closingReserve = 16

/**
 * Cuts an answer into pieces that the platform accepts. A platform may count a text as longer than its number of UTF-16
 * units. Drops pieces without visible characters, because platforms refuse them.
 */
export function cutToFit(
  text: string,
  { longestText, lengthOf }: Pick<ChatPlatform, 'longestText' | 'lengthOf'>,
  longest = longestText,
): string[] {
  return cutText(text, longest)
    .filter((piece) => !isUnseen(piece))
    .flatMap((piece) =>
      lengthOf(piece) <= longestText ? [piece] : cutToFit(piece, { longestText, lengthOf }, Math.floor(longest / 2)),
    )
}

/** The name of the file with an answer that is too long for a chat. */
export const wholeAnswer = 'answer.md'
const maxPieces = 4
/** Does not mention the file, because the platform may refuse it. */
const note = '\n\n(Continued below.)'
/** The most posts for the rest of an answer that cannot come as a file. */
const maxRestPosts = 20
const cutHere = '\n\n(The answer is longer than this. Ask for the rest in parts.)'

/**
 * The posts of an answer. If an answer would need more than four, this is only its beginning, and the whole answer
 * follows as a file.
 */
export function shownPieces(
  text: string,
  platform: Pick<ChatPlatform, 'longestText' | 'lengthOf'>,
): { readonly pieces: readonly string[]; readonly isCut: boolean } {
  const pieces = cutToFit(text, platform)
  if (pieces.length <= maxPieces) return { pieces, isCut: false }
  const [beginning = ''] = cutWithRoom(text, platform)
  return { pieces: [`${beginning}${note}`], isCut: true }
}

/** The rest of a long answer, after the piece that `shownPieces` returns, for posts in place of the file. */
export function otherPieces(text: string, platform: Pick<ChatPlatform, 'longestText' | 'lengthOf'>): readonly string[] {
  const others = cutWithRoom(text, platform).slice(1)
  if (others.length <= maxRestPosts) return others
  return others.slice(0, maxRestPosts).map((piece, at) => (at === maxRestPosts - 1 ? `${piece}${cutHere}` : piece))
}

function cutWithRoom(text: string, { longestText, lengthOf }: Pick<ChatPlatform, 'longestText' | 'lengthOf'>) {
  return cutToFit(text, { longestText: longestText - Math.max(note.length, cutHere.length), lengthOf })
}

/**
 * Cuts an answer into pieces of at most `longest` UTF-16 units: preferably between paragraphs, otherwise between lines,
 * otherwise between words, never inside a character or a link. If a cut is inside a code block, the block is closed
 * before the cut and reopened after it; open text directions and the head of a table are repeated after the cut.
 */
export function cutText(text: string, longest: number): string[] {
  const pieces: string[] = []
  let rest = text
  let opening = ''
  while (opening.length + rest.length > longest) {
    const room = longest - opening.length - closingReserve
    const at = cutAt(rest, room)
    const head = `${opening}${rest.slice(0, at).trimEnd()}`
    const open = openFence(head)
    pieces.push(open === undefined ? head : `${head}\n${open.mark}`)
    const isInLine = rest[at - 1] !== '\n' && rest[at] !== '\n'
    const direction = isInLine ? openDirections(lastLineOf(head)) : ''
    // A blank line ends a table, so the lines after it are not part of the table.
    const isWithinLines = /[^\n]\n$/.test(rest.slice(0, at)) && rest[at] !== '\n'
    rest = rest.slice(at).replace(/^\n+/, '')
    opening = `${open === undefined ? '' : `${open.mark}${open.language}\n`}${direction}`
    if (open === undefined && isWithinLines && tableRow.test(lineOf(rest))) opening = headOfTable(head, longest)
  }
  if (rest.trim() !== '' || pieces.length === 0) pieces.push(`${opening}${rest}`)
  return pieces
}

/**
 * Prefers the last paragraph break, line break or space, in this order, in the second half; otherwise cuts after a
 * character.
 */
function cutAt(text: string, room: number): number {
  const head = text.slice(0, room)
  for (const separator of ['\n\n', '\n', ' ']) {
    const at = head.lastIndexOf(separator)
    if (at >= room / 2) return separator === ' ' ? beforeLink(text, at + 1, room / 2) : at + separator.length
  }
  return betweenCharacters(text, room)
}

/** If a cut is inside a link that has its own text, moves the cut to before the link, unless that is too early. */
function beforeLink(text: string, at: number, earliest: number): number {
  for (const { index, 0: found } of text.slice(0, at + maxLink).matchAll(link)) {
    if (index < at && at < index + found.length) return index >= earliest ? index : at
  }
  return at
}

/**
 * The head of the table at the end of a text, with the line below the head. Empty if there is no table, or if the head
 * is too long.
 */
function headOfTable(text: string, longest: number): string {
  const lines = text.split('\n')
  const first = lines.findLastIndex((line) => !tableRow.test(line)) + 1
  const [names = '', below = ''] = lines.slice(first)
  const head = `${names}\n${below}\n`
  return tableRow.test(names) && belowHead.test(below) && head.length <= longest / 4 ? head : ''
}

function lastLineOf(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1)
}

function lineOf(text: string): string {
  return /^.*/.exec(text)![0]
}

/**
 * The last place at or before `room` between two characters; inside an extremely long character, between two code
 * points.
 */
function betweenCharacters(text: string, room: number): number {
  const at = new Intl.Segmenter().segment(text.slice(0, room + maxCharacter)).containing(room)?.index
  if (at !== undefined && at > 0) return at
  return text.slice(0, room).isWellFormed() ? room : room - 1
}

/** The code block that is still open where a text ends. */
function openFence(text: string): { readonly mark: string; readonly language: string } | undefined {
  let open: { mark: string; language: string } | undefined
  for (const line of text.split('\n')) {
    const [, mark, language = ''] = fence.exec(line) ?? []
    if (mark === undefined) continue
    if (open === undefined) open = { mark: mark.slice(0, 8), language: language.slice(0, 40) }
    else if (mark.startsWith(open.mark) && language.trim() === '') open = undefined
  }
  return open
}
