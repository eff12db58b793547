import { wrapped } from '../wrapped.ts'
import { dim, type Line, plain } from './line.ts'
import type { Seen } from './state.ts'
import { chosenSession, type View } from './view.ts'
import type { Work } from './work.ts'

/**
 * How many characters at the end of a long answer are shown. The start of this part moves in large steps, because all
 * rows have to be wrapped again after each step.
 */
const shownLength = 20_000
const movedLength = 5000
/** How many rows of the message are shown: enough to recognise it. */
const maxAskedRows = 3

/** Everything that the chosen session says, with the tools it uses in between. */
export function liveLines(seen: Seen, view: View, width: number): readonly Line[] {
  const session = chosenSession(seen, view)
  const work = session && seen.works.get(session.sessionId)
  if (work === undefined) return [dim(seen.knows.sessions ? 'Nothing has been said here yet.' : 'Loading …')]
  const lines = piecesOf(work).flatMap(({ text, isTool }) =>
    isTool ? [dim(`$ ${text.replace(/\s+/g, ' ')}`)] : wrapped(text, width).map(plain),
  )
  const end = work.outcome === undefined ? [] : [dim(`(${work.outcome.replace('_', ' ')})`)]
  return [...askedLines(work.asked, width), ...lines, ...end]
}

function askedLines(asked: string, width: number): readonly Line[] {
  const rows = asked === '' ? [] : wrapped(`> ${asked}`, width)
  return (rows.length > maxAskedRows ? [...rows.slice(0, maxAskedRows), '> …'] : rows).map((text) => [
    { text, color: 'cyan' },
  ])
}

interface Piece {
  readonly text: string
  readonly isTool: boolean
}

function piecesOf({ text, marks }: Work): readonly Piece[] {
  const first = Math.max(0, Math.ceil((text.length - shownLength) / movedLength) * movedLength)
  let from = first
  const pieces: Piece[] = []
  const addText = (end: number): void => {
    const piece = withoutEmptyEnds(text.slice(from, end))
    if (piece !== '') pieces.push({ text: piece, isTool: false })
    from = end
  }
  for (const mark of marks.filter(({ at }) => at >= first)) {
    addText(mark.at)
    pieces.push({ text: mark.text, isTool: true })
  }
  addText(text.length)
  return pieces
}

/** The text without empty lines at its beginning and end. */
function withoutEmptyEnds(text: string): string {
  let [from, to] = [0, text.length]
  while (text[from] === '\n') from += 1
  while (to > from && text[to - 1] === '\n') to -= 1
  return text.slice(from, to)
}
