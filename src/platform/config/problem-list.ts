import type { ConfigProblem } from '../../base/protocol/config-problem.ts'
import { type KeyPath, keyText } from './problem.ts'

/** Where a key stands, or an item of a list, 1-based, and how its value may be shown. */
export interface Place {
  readonly line: number
  readonly column: number
  readonly shown: string | null
}

interface Words {
  readonly problem: string
  readonly allowed?: string
  readonly remedy: string
}

/** Gathers mistakes while a file is read and checked, and knows where each key stands. */
export class ProblemList {
  readonly #file: string
  readonly #places = new Map<string, Place>()
  readonly #unread = new Set<string>()
  readonly #problems: ConfigProblem[] = []

  constructor(file: string) {
    this.#file = file
  }

  get file(): string {
    return this.#file
  }

  mark(path: KeyPath, place: Place): void {
    this.#places.set(JSON.stringify(path), place)
  }

  /** Says it at the key's own place, or for a missing key at the nearest one around it. `shown` overrides the value. */
  report(path: KeyPath, words: Words, shown?: string | null): void {
    const place = this.#places.get(JSON.stringify(path))
    const near = place ?? this.#nearest(path)
    this.add(path, words, { line: near.line, column: near.column, shown: place?.shown ?? null }, shown)
  }

  /** For what has no place of its own in the list of keys, such as the second of two equal keys. */
  add(path: KeyPath, { problem, allowed, remedy }: Words, place: Place | null, shown?: string | null): void {
    this.#problems.push({
      file: this.#file,
      line: place?.line ?? null,
      column: place?.column ?? null,
      key: keyText(path),
      value: shown === undefined ? (place?.shown ?? null) : shown,
      problem,
      allowed: allowed ?? null,
      remedy,
    })
  }

  /** The value could not be read and that is already said: its absence is no second mistake. */
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

  #nearest(path: KeyPath): { readonly line: number; readonly column: number } {
    for (let length = path.length - 1; length >= 0; length--) {
      const place = this.#places.get(JSON.stringify(path.slice(0, length)))
      if (place) return place
    }
    return { line: 1, column: 1 }
  }
}
