import { type Clock, every, systemClock } from '../../../base/lib/clock.ts'
import { terminalSafe } from '../../../base/lib/visible.ts'
import type { Environment } from '../../../platform/config/home.ts'
import { drawsBelow } from '../say.ts'

/** The line is looked at so often, milliseconds. */
const lookMs = 200
const escape = '\u001b'
/** The cursor stays where the text ends; the line is below it, or on its row where that is empty. */
const [save, restore, eraseBelow, nextRow, makeRoom] = [
  `${escape}7`,
  `${escape}8`,
  `${escape}[J`,
  `${escape}E`,
  `${escape}D${escape}M`,
]
const [dim, plain] = [`${escape}[2m`, `${escape}[22m`]

export interface LiveLineParts {
  /** To the terminal. */
  readonly write: (text: string) => void
  /** Of the terminal, now. */
  readonly columns: () => number
  readonly clock: Clock
  readonly isPlain: boolean
}

/** A terminal with text that grows and, below it, one line that is replaced: how things are now. Nothing of the line stays. */
export class LiveLine implements Disposable {
  readonly #parts: LiveLineParts
  readonly #endLooking: () => void
  /** Says the line, again and again; undefined: none. */
  #status: () => string | undefined = () => undefined
  #shown: string | undefined
  #isHeld = false
  #isAtStart = true

  constructor(parts: LiveLineParts) {
    this.#parts = parts
    this.#endLooking = every(parts.clock, lookMs, () => this.#draw())
  }

  shows(status: () => string | undefined): void {
    this.#status = status
    this.#draw()
  }

  /** Text that stays. */
  write(text: string): void {
    if (text === '') return
    this.#erase()
    this.#parts.write(text)
    this.#isAtStart = text.endsWith('\n')
    this.#draw()
  }

  /** Somebody else writes whole lines. */
  makesWay(writeLines: () => void): void {
    this.#erase()
    writeLines()
    this.#isAtStart = true
    this.#draw()
  }

  /** While the terminal belongs to somebody else. */
  hold(): void {
    this.#erase()
    this.#isHeld = true
  }

  goOn(): void {
    this.#isHeld = false
    this.#isAtStart = true
    this.#draw()
  }

  /** Nothing is shown from now on. */
  [Symbol.dispose](): void {
    this.hold()
    this.#endLooking()
  }

  #draw(): void {
    const status = this.#isHeld ? undefined : this.#status()
    if (status === this.#shown) return
    this.#erase()
    if (status === undefined) return
    const { write, columns, isPlain } = this.#parts
    const line = fitting(terminalSafe(status.replace(/\s+/g, ' ')), Math.max(10, columns() - 1))
    const place = this.#isAtStart ? save : `${makeRoom}${save}${nextRow}`
    write(`${place}${isPlain ? line : `${dim}${line}${plain}`}${restore}`)
    this.#shown = status
  }

  #erase(): void {
    if (this.#shown !== undefined) this.#parts.write(eraseBelow)
    this.#shown = undefined
  }
}

/** Characters that some terminals draw two columns wide count so. */
function fitting(text: string, columns: number): string {
  let width = 0
  let end = 0
  for (const character of text) {
    width += character.codePointAt(0)! < 0x1100 ? 1 : 2
    if (width > columns) break
    end += character.length
  }
  return text.slice(0, end)
}

/** That of this process, on the terminal that stdout is; elsewhere, and for programs, there is none. */
export function openLiveLine(env: Environment, json: boolean): LiveLine | undefined {
  if (json || !process.stdout.isTTY) return undefined
  const line = new LiveLine({
    write: (text) => process.stdout.write(text),
    columns: () => process.stdout.columns,
    clock: systemClock,
    isPlain: Boolean(env['NO_COLOR']),
  })
  drawsBelow(line)
  return line
}
