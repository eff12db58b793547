import type { ConfigProblem } from '../../base/protocol/config-problem.ts'
import { IrisError } from '../../base/protocol/error.ts'

/** `config_invalid` with every mistake found, in the order of the file's lines. */
export class ConfigError extends IrisError {
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    const count = problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`
    super(
      'config_invalid',
      [`The configuration has ${count}.`, ...problems.map(problemText)].join('\n\n'),
      'Correct what is named above.',
    )
    this.problems = problems
  }
}

function problemText({ file, line, column, key, value, problem, allowed, remedy }: ConfigProblem): string {
  const rows: [string, string | null][] = [
    ['Key:', key || null],
    ['Value:', value],
    ['Problem:', problem],
    ['Allowed:', allowed],
    ['To do:', remedy],
  ]
  const where = line === null ? file : `${file}:${line}:${column}`
  return [where, ...rows.flatMap(([label, text]) => (text === null ? [] : [row(label, text)]))].join('\n')
}

/** A text of several lines begins on a line of its own and keeps its inner indentation, so that it can be copied. */
function row(label: string, text: string): string {
  const [first = '', ...rest] = text.split('\n')
  return [`  ${label.padEnd(9)}${first}`, ...rest.map((line) => (line ? `    ${line}` : ''))].join('\n')
}

export const hidden = '(hidden)'

/** Text as it may be shown on a terminal: in quotes, short, with control and direction characters made visible. */
export function quoted(text: string): string {
  const short = text.length > 100 ? `${text.slice(0, 100)}…` : text
  return JSON.stringify(short).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, codePoint)
}

/** A path or a name inside a sentence: as it is if it can be shown, else quoted. */
export function shown(text: string): string {
  return /^[^\p{Cc}\p{Cf}\u2028\u2029]{1,300}$/u.test(text) ? text : quoted(text)
}

function codePoint(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`
}

export type KeyPath = readonly (string | number)[]

/** `['settings', 'allowedRoots', 0]` becomes `settings.allowedRoots[0]`; odd names are put in quotes. */
export function keyText(path: KeyPath): string {
  const parts = path.map((part) => {
    if (typeof part === 'number') return `[${part}]`
    return /^[\w.@-]{1,100}$/.test(part) ? `.${part}` : `.${quoted(part)}`
  })
  return parts.join('').replace(/^\./, '')
}
