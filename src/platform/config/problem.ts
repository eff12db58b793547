import { shapeless } from '../../base/lib/visible.ts'
import type { ConfigProblem } from '../../base/protocol/config-problem.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { withoutMiddle } from '../../base/protocol/without-middle.ts'

/** The error `config_invalid`, with every mistake found, in the order of the file's lines. */
export class ConfigError extends IrisError {
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    const count = problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`
    super(
      'config_invalid',
      [`The configuration has ${count}.`, ...problems.map((each) => withoutMiddle(problemText(each)))].join('\n\n'),
      'Correct the mistakes named above; "iris config validate" checks the file.',
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
    ['Fix:', remedy],
  ]
  const where = line === null ? file : `${file}:${line}:${column}`
  return [where, ...rows.flatMap(([label, text]) => (text === null ? [] : [row(label, text)]))].join('\n')
}

/** A text of several lines starts on a new line and keeps its indentation, so that it can be copied. */
function row(label: string, text: string): string {
  const [first = '', ...rest] = text.split('\n')
  return [`  ${label.padEnd(9)}${first}`, ...rest.map((line) => (line ? `    ${line}` : ''))].join('\n')
}

export const hidden = '(hidden)'

const unshown = new RegExp(String.raw`[${shapeless}\u2028\u2029]`, 'gu')

/** Text as it may be shown on a terminal: in quotes, short, with control and direction characters made visible. */
export function quoted(text: string): string {
  const short = text.length > 100 ? `${text.slice(0, 100)}…` : text
  return JSON.stringify(short).replace(unshown, codePoint)
}

/** A path or a name inside a sentence: unchanged if it is printable, otherwise quoted. */
export function shown(text: string): string {
  return text !== '' && text.length <= 300 && text.search(unshown) === -1 ? text : quoted(text)
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

/** The place of a key or of a list item, counted from 1, and the value as it may be shown. */
export interface Place {
  readonly line: number
  readonly column: number
  readonly shown: string | null
}

export interface Words {
  readonly problem: string
  readonly allowed?: string
  readonly remedy: string
}

/** Collects mistakes while a file is read and checked, and knows the place of each key. */
export class ProblemList {
  readonly #file: string
  readonly #places = new Map<string, Place>()
  readonly #unread = new Set<string>()
  readonly #problems: ConfigProblem[] = []
  readonly #onDisk = new Map<string, ConfigProblem>()

  constructor(file: string) {
    this.#file = file
  }

  get file(): string {
    return this.#file
  }

  mark(path: KeyPath, place: Place): void {
    this.#places.set(JSON.stringify(path), place)
  }

  /**
   * Reports a problem at the key's own place or, for a missing key, at the place of the nearest enclosing key. `shown`
   * overrides the value.
   */
  report(path: KeyPath, words: Words, shown?: string | null): void {
    this.add(path, words, this.#placeOf(path), shown)
  }

  /**
   * Reports what is wrong with a directory that the file names. This does not count as a mistake of the file, unless
   * someone has just written the path: see `insistOn`.
   */
  reportOnDisk(path: KeyPath, words: Words): void {
    const key = keyText(path)
    if (!this.#onDisk.has(key)) this.#onDisk.set(key, this.#problem(path, words, this.#placeOf(path)))
  }

  /** Counts a problem from `reportOnDisk` as a mistake of the file. `key` as in `keyText`. */
  insistOn(key: string): void {
    const problem = this.#onDisk.get(key)
    if (problem !== undefined) this.#problems.push(problem)
  }

  /** Reports a problem at a given place, for errors without a separate key, such as the second of two equal keys. */
  add(path: KeyPath, words: Words, place: Place | null, shown?: string | null): void {
    this.#problems.push(this.#problem(path, words, place, shown))
  }

  /** Marks a value whose mistake has been reported, so that it is not also reported as missing. */
  markUnread(path: KeyPath): void {
    this.#unread.add(JSON.stringify(path))
  }

  isUnread(path: KeyPath): boolean {
    return this.#unread.has(JSON.stringify(path))
  }

  inFileOrder(): ConfigProblem[] {
    const position = (one: ConfigProblem) => [one.line ?? 0, one.column ?? 0] as const
    return this.#problems.toSorted((a, b) => {
      const [[lineA, columnA], [lineB, columnB]] = [position(a), position(b)]
      return lineA - lineB || columnA - columnB
    })
  }

  #problem(
    path: KeyPath,
    { problem, allowed, remedy }: Words,
    place: Place | null,
    shown?: string | null,
  ): ConfigProblem {
    return {
      file: this.#file,
      line: place?.line ?? null,
      column: place?.column ?? null,
      key: keyText(path),
      value: shown === undefined ? (place?.shown ?? null) : shown,
      problem,
      allowed: allowed ?? null,
      remedy,
    }
  }

  #placeOf(path: KeyPath): Place {
    const place = this.#places.get(JSON.stringify(path))
    const { line, column } = place ?? this.#nearest(path)
    return { line, column, shown: place?.shown ?? null }
  }

  #nearest(path: KeyPath): { readonly line: number; readonly column: number } {
    for (let length = path.length - 1; length >= 0; length--) {
      const place = this.#places.get(JSON.stringify(path.slice(0, length)))
      if (place) return place
    }
    return { line: 1, column: 1 }
  }
}
