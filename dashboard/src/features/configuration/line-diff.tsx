import type { Chunk } from '@codemirror/merge'
import type { Text } from '@codemirror/state'
import { differencesOf } from './differences.ts'
import { texts } from './texts.ts'

interface LineDiffProps {
  readonly before: string
  readonly after: string
}

interface Line {
  readonly sign: '−' | '+' | ' '
  readonly text: string
  /** The line number in its own text, from 1. */
  readonly place: number
}

/** The removed and added lines, with one line of context around each change. */
export function LineDiff({ before, after }: LineDiffProps) {
  const { a, b, chunks } = differencesOf(before, after)
  return (
    <section
      aria-label={texts.differenceToConfigYaml}
      // Without a mouse, a person scrolls it with the arrow keys.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
      tabIndex={0}
      className="border-line bg-page max-h-72 overflow-auto rounded-md border font-mono text-xs"
    >
      {chunks.map((chunk) => (
        <ul key={chunk.fromB} className="border-line border-b p-2 last:border-0">
          {linesOf(chunk, a, b).map(({ sign, text, place }) => (
            <li key={`${sign}${place}`} className={`${looks[sign]} whitespace-pre-wrap wrap-anywhere`}>
              <span className="sr-only">{texts.signs[sign]}</span>
              <span aria-hidden="true">{sign} </span>
              {text}
            </li>
          ))}
        </ul>
      ))}
    </section>
  )
}

const looks = { '−': 'text-bad', '+': 'text-good', ' ': 'text-muted' }

function linesOf({ fromA, endA, toA, fromB, endB, toB }: Chunk, a: Text, b: Text): readonly Line[] {
  const gone = toA > fromA ? between(a, fromA, endA, '−') : []
  const come = toB > fromB ? between(b, fromB, endB, '+') : []
  const first = b.lineAt(Math.min(fromB, b.length)).number
  const next = first + come.length
  return [...context(b, first - 1), ...gone, ...come, ...context(b, next)]
}

function between(text: Text, from: number, to: number, sign: Line['sign']): readonly Line[] {
  const [first, last] = [text.lineAt(from).number, text.lineAt(Math.min(to, text.length)).number]
  return Array.from({ length: last - first + 1 }, (_, index) => ({
    sign,
    text: text.line(first + index).text,
    place: first + index,
  }))
}

function context(text: Text, place: number): readonly Line[] {
  return place < 1 || place > text.lines ? [] : [{ sign: ' ', text: text.line(place).text, place }]
}
