import { type Clock, every, systemClock } from '../../../base/lib/clock.ts'
import { terminalSafe } from '../../../base/lib/visible.ts'
import type { CommandContext } from '../context.ts'
import { cutTo } from '../wrapped.ts'

/** How often the status is read, milliseconds. */
const lookMs = 200
const escape = '\u001b'
/** The cursor stays at the end of the text. The line is below it, or on the cursor's row where that row is empty. */
const [save, restore, eraseBelow, nextRow, makeRoom] = [
  `${escape}7`,
  `${escape}8`,
  `${escape}[J`,
  `${escape}E`,
  `${escape}D${escape}M`,
]
const [dim, plain] = [`${escape}[2m`, `${escape}[22m`]

export interface LiveLineParts {
  /** Writes to the terminal. */
  readonly write: (text: string) => void
  /** The width of the terminal now. */
  readonly columns: () => number
  readonly clock: Clock
  readonly isPlain: boolean
}

/** Draws growing text on a terminal and, below it, one status line that is replaced and leaves nothing behind. */
export class LiveLine implements Disposable {
  readonly #parts: LiveLineParts
  readonly #endLooking: () => void
  /** Returns the current status line; undefined: no line. */
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

  /** Writes text that stays on the terminal. */
  write(text: string): void {
    if (text === '') return
    this.#erase()
    this.#parts.write(text)
    this.#isAtStart = text.endsWith('\n')
    this.#draw()
  }

  /** Removes the status line while others write whole lines. */
  makesWay(writeLines: () => void): void {
    this.#erase()
    writeLines()
    this.#isAtStart = true
    this.#draw()
  }

  /** Removes the status line while something else uses the terminal. */
  hold(): void {
    this.#erase()
    this.#isHeld = true
  }

  goOn(): void {
    this.#isHeld = false
    this.#isAtStart = true
    this.#draw()
  }

  /** Removes the status line for good. */
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
    const line = cutTo(terminalSafe(status.replace(/\s+/g, ' ')), Math.max(10, columns() - 1))
    const place = this.#isAtStart ? save : `${makeRoom}${save}${nextRow}`
    write(`${place}${isPlain ? line : `${dim}${line}${plain}`}${restore}`)
    this.#shown = status
  }

  #erase(): void {
    if (this.#shown !== undefined) this.#parts.write(eraseBelow)
    this.#shown = undefined
  }
}

/** The live line of this process; undefined where stdout is no terminal, and for programs. */
export function openLiveLine(context: CommandContext, json: boolean): LiveLine | undefined {
  if (json || !context.stdout.isTTY) return undefined
  const line = new LiveLine({
    write: (text) => context.stdout.write(text),
    columns: () => context.stdout.columns ?? 0,
    clock: systemClock,
    isPlain: Boolean(context.env['NO_COLOR']),
  })
  context.drawsBelow(line)
  return line
}
