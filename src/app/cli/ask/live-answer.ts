import { terminalSafe } from '../../../base/lib/visible.ts'
import type { LiveLine } from './live-line.ts'

/** A trailing CR or high surrogate, which the next piece can complete. */
const unfinished = /[\r\ud800-\udbff]$/

/** Shows an answer on a terminal while the answer grows. */
export class LiveAnswer {
  readonly #screen: LiveLine
  #shown = ''
  #text = ''
  #isHeld = false
  #hasEnded = false

  constructor(screen: LiveLine) {
    this.#screen = screen
  }

  /** Replaces the text from offset `at` on. */
  says(at: number, text: string): void {
    this.#text = this.#text.slice(0, at) + text
    if (!this.#isHeld && !this.#hasEnded) this.#show(this.#text.replace(unfinished, ''))
  }

  /** Ends the current line and stops drawing, while a prompt uses the terminal. */
  hold(): void {
    this.#isHeld = true
    if (this.#shown !== '' && !this.#shown.endsWith('\n')) this.#screen.write('\n')
    this.#screen.hold()
  }

  release(): void {
    this.#isHeld = false
    this.#screen.release()
    if (!this.#hasEnded) this.says(this.#text.length, '')
  }

  /** Shows the rest of the complete answer, and ends its last line. */
  ends(answer: string): void {
    this.#hasEnded = true
    this.#show(this.#shown.endsWith(answer) ? this.#shown : answer)
    if (this.#shown !== '' && !this.#shown.endsWith('\n')) this.#screen.write('\n')
  }

  #show(text: string): void {
    const goesOn = text.startsWith(this.#shown)
    if (!goesOn) this.#screen.write('\n')
    this.#screen.write(terminalSafe(goesOn ? text.slice(this.#shown.length) : text))
    this.#shown = text
  }
}
