import { inOneLine } from '../../base/lib/visible.ts'

/** The file that Claude Code reads at the start of each conversation of a project. */
export const claudeMd = 'CLAUDE.md'
const heading = '## Answers to repeated questions'
const context = 3
const maxAnswer = 600
const maxQuestion = 200

/** A line with a question and its answer. An agent wrote the answer, so it must not act as Markdown. */
export function answerLine(question: string, answer: string, date: string): string {
  return `- ${plain(question, maxQuestion)} ${plain(answer, maxAnswer)} (as answered on ${date})`
}

/**
 * The text on one line. `@path` would make Claude Code include a file, also right after code, emphasis or a link, where
 * a new piece of Markdown begins. `<!--` would hide text from readers.
 */
function plain(text: string, longest: number): string {
  const line = inOneLine(text)
    .replaceAll('<!--', '<!- -')
    .replace(/@(?=\S)/g, '(at)')
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line
}

export interface Change {
  readonly text: string
  /** The change in the unified format. */
  readonly diff: string
}

/**
 * Adds a line at the end of the answers section, which it creates if missing. `was` is the old text, or undefined if
 * there is no file.
 */
export function withAnswer(was: string | undefined, line: string): Change {
  const isWhole = was === undefined || was === '' || was.endsWith('\n')
  const lines = was === undefined || was === '' ? [] : (isWhole ? was.slice(0, -1) : was).split('\n')
  const begin = lines.indexOf(heading)
  const next = lines.findIndex((each, index) => index > begin && /^#{1,2} /.test(each))
  let at = begin === -1 || next === -1 ? lines.length : next
  while (begin !== -1 && at > begin + 1 && lines[at - 1]!.trim() === '') at -= 1
  const before = lines.length > 0 && lines.at(-1)!.trim() !== '' ? [''] : []
  const isFirst = begin !== -1 && at === begin + 1
  const added = begin === -1 ? [...before, heading, '', line] : [...(isFirst ? [''] : []), line]
  const changed = lines.toSpliced(at, 0, ...added)
  return { text: `${changed.join('\n')}\n`, diff: diffOf(lines, at, added, { isNew: was === undefined, isWhole }) }
}

function diffOf(
  lines: readonly string[],
  at: number,
  added: readonly string[],
  { isNew, isWhole }: { readonly isNew: boolean; readonly isWhole: boolean },
): string {
  const from = Math.max(0, at - context)
  const [above, below] = [lines.slice(from, at), lines.slice(at, at + context)]
  const count = above.length + below.length
  const place = (start: number, length: number): string => `${length === 0 ? start : start + 1},${length}`
  const touchesEnd = !isWhole && at + context >= lines.length
  const last = lines.at(-1) ?? ''
  // If the last line has no line end, the change adds one.
  const isChanged = (index: number): boolean => touchesEnd && index === lines.length - 1
  const kept = (rows: readonly string[], first: number): string[] =>
    rows.flatMap((row, index) =>
      isChanged(first + index) ? [`-${last}`, '\\ No newline at end of file', `+${last}`] : [` ${row}`],
    )
  return [
    `--- ${isNew ? '/dev/null' : `a/${claudeMd}`}`,
    `+++ b/${claudeMd}`,
    `@@ -${place(from, count)} +${place(from, count + added.length)} @@`,
    ...kept(above, from),
    ...added.map((row) => `+${row}`),
    ...kept(below, at),
    '',
  ].join('\n')
}
