import { type Clock, every, systemClock } from '../../../base/lib/clock.ts'
import { terminalSafe } from '../../../base/lib/visible.ts'
import type { CommandContext } from '../context.ts'
import { cutTo } from '../wrapped.ts'

/** How often the status is read, milliseconds. */
const lookMs = 200
const escape = '\u001b'
/** `makeRoom` goes one row down and up again, so that a terminal whose last row holds the cursor scrolls first. */
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

/**
 * Writes growing text on a terminal and draws one status line below it, which is replaced as the status changes and
 * removed at the end. Between two calls the cursor is at the end of the text. The status line is on the next row, or on
 * the cursor's own row if that one is empty.
 */
export class LiveLine implements Disposable {
  readonly #parts: LiveLineParts
  readonly #stopTimer: () => void
  /** Called at regular intervals for the current status line; undefined when there is none to show. */
  #status: () => string | undefined = () => undefined
  #shown: string | undefined
  #isHeld = false
  /** Whether the cursor is at the start of an empty row. */
  #isAtStart = true

  constructor(parts: LiveLineParts) {
    this.#parts = parts
    this.#stopTimer = every(parts.clock, lookMs, () => this.#draw())
  }

  /** From now on draws the status line that `status` returns. */
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

  /** Removes the status line, lets `writeLines` write whole lines, and draws the status line again. */
  hideWhile(writeLines: () => void): void {
    this.#erase()
    writeLines()
    this.#isAtStart = true
    this.#draw()
  }

  /** Removes the status line until `release`, while something else uses the terminal. */
  hold(): void {
    this.#erase()
    this.#isHeld = true
  }

  /** Ends `hold`. Whatever used the terminal must have ended its last line. */
  release(): void {
    this.#isHeld = false
    this.#isAtStart = true
    this.#draw()
  }

  /** Removes the status line for good. */
  [Symbol.dispose](): void {
    this.hold()
    this.#stopTimer()
  }

  #draw(): void {
    const status = this.#isHeld ? undefined : this.#status()
    if (status === this.#shown) return
    this.#erase()
    if (status === undefined) return
    const { write, columns, isPlain } = this.#parts
    const line = cutTo(terminalSafe(status.replace(/\s+/g, ' ')), Math.max(10, columns() - 1))
    const moveToLine = this.#isAtStart ? save : `${makeRoom}${save}${nextRow}`
    write(`${moveToLine}${isPlain ? line : `${dim}${line}${plain}`}${restore}`)
    this.#shown = status
  }

  #erase(): void {
    if (this.#shown !== undefined) this.#parts.write(eraseBelow)
    this.#shown = undefined
  }
}

/** The live line of this process; undefined if stdout is no terminal, or the output is for programs (`json`). */
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
