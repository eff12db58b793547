import { terminalSafe } from '../../../base/lib/visible.ts'
import type { CommandContext } from '../context.ts'
import { askText, type Choice, choose } from '../prompt.ts'
import { cut } from '../wrapped.ts'

type Step = 'next' | 'back' | 'search' | 'again' | 'leave'

/** Rows of the prompt below a screen of text. */
const questionRows = 8
const minRows = 5

/** Shows text one screen at a time; the person moves forward, back, or to the next match of a search. */
export async function showPaged(context: CommandContext, lines: readonly string[]): Promise<void> {
  const { columns = 80, rows: height = 24 } = context.stdout
  const rows = rowsOf(lines, columns)
  const page = Math.max(minRows, height - questionRows)
  let [at, words] = [0, '']
  for (;;) {
    for (const row of rows.slice(at, at + page)) context.say(row)
    if (rows.length <= page) return
    const end = Math.min(at + page, rows.length)
    const step = await choose(
      context,
      `Lines ${at + 1} to ${end} of ${rows.length}`,
      stepsFrom(at, end, rows.length, words),
    )
    if (step === undefined || step === 'leave') return
    if (step === 'next') at = end
    else if (step === 'back') at = Math.max(0, at - page)
    else {
      if (step === 'search') words = (await askText(context, 'Which words?', words)) ?? ''
      const found = words === '' ? undefined : placeOf(words, rows, at)
      if (words !== '' && found === undefined) context.note(`No match for "${words}".`)
      at = found ?? at
    }
  }
}

/** The rows that lines take on a screen of that width. */
export function rowsOf(lines: readonly string[], width: number): readonly string[] {
  return lines.flatMap((line) =>
    terminalSafe(line)
      .split('\n')
      .flatMap((row) => cut(row, width)),
  )
}

/** The next row after `first` that contains the words, without regard to case; continues from the top. */
export function placeOf(words: string, rows: readonly string[], first: number): number | undefined {
  const wanted = words.toLowerCase()
  for (let step = 1; step <= rows.length; step++) {
    const row = (first + step) % rows.length
    if (rows[row]!.toLowerCase().includes(wanted)) return row
  }
  return undefined
}

function stepsFrom(at: number, end: number, total: number, words: string): readonly Choice<Step>[] {
  return [
    ...(end < total ? [{ value: 'next', label: 'Next page' } as const] : []),
    ...(words === '' ? [] : [{ value: 'again', label: `Next match for "${words}"` } as const]),
    { value: 'search', label: 'Search' },
    ...(at > 0 ? [{ value: 'back', label: 'Back' } as const] : []),
    { value: 'leave', label: 'Done' },
  ]
}
