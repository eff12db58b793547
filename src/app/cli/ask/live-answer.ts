import { terminalSafe } from '../../../base/lib/visible.ts'
import type { LiveLine } from './live-line.ts'

/** What could still become something else with the next piece. */
const unfinished = /[\r\ud800-\udbff]$/

/** An answer as it grows on a terminal. */
export class LiveAnswer {
  readonly #screen: LiveLine
  #shown = ''
  #text = ''
  #isHeld = false
  #hasEnded = false

  constructor(screen: LiveLine) {
    this.#screen = screen
  }

  /** From `at` on the text is this. */
  says(at: number, text: string): void {
    this.#text = this.#text.slice(0, at) + text
    if (!this.#isHeld && !this.#hasEnded) this.#show(this.#text.replace(unfinished, ''))
  }

  /** While the terminal belongs to somebody else, who begins with a line of his own. */
  hold(): void {
    this.#isHeld = true
    if (this.#shown !== '' && !this.#shown.endsWith('\n')) this.#screen.write('\n')
    this.#screen.hold()
  }

  goOn(): void {
    this.#isHeld = false
    this.#screen.goOn()
    if (!this.#hasEnded) this.says(this.#text.length, '')
  }

  /** The whole answer, of which some may stand there already; it ends with a line of its own. */
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
