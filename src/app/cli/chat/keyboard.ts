import { PassThrough, type Readable } from 'node:stream'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'

const [ctrlC, ctrlD, ctrlZ] = ['\u0003', '\u0004', '\u001a']
/**
 * As far as one prompt reads: a line or Ctrl-D ends it, and what comes after belongs to the next one. A tab that completes
 * must come last: in the midst of what comes at once it is text that was pasted.
 */
const untilEnd = new RegExp(`^/[^\\r\\n\\t${ctrlD}]*\\t|^[^\\r\\n${ctrlD}]*[\\r\\n${ctrlD}]?`)

/**
 * The keys of this terminal over many prompts: what is typed while there is none waits for the next one, as a terminal has
 * it, Ctrl-D too. Ctrl-C then is the signal, and takes back what was typed before it.
 */
export class Keyboard implements Disposable {
  readonly #terminal = process.stdin
  #waiting = ''
  #prompt: PassThrough | undefined
  #isFeeding = false

  constructor() {
    this.#terminal.setEncoding('utf8').setRawMode(true).on('data', this.#hear).resume()
  }

  /** Gives a prompt the keys for as long as it takes. */
  async lendTo<Answer>(prompt: (keys: Readable) => Promise<Answer>): Promise<Answer> {
    const keys = new PassThrough()
    this.#prompt = keys
    void this.#feed()
    try {
      return await prompt(keys)
    } finally {
      this.#prompt = undefined
    }
  }

  [Symbol.dispose](): void {
    this.#terminal.off('data', this.#hear).setRawMode(false).pause()
  }

  readonly #hear = (pressed: string): void => {
    this.#waiting += this.#prompt === undefined ? this.#actOn(pressed) : pressed
    void this.#feed()
  }

  /** What the terminal itself would have done; returns what is left to be read. */
  #actOn(pressed: string): string {
    const at = pressed.lastIndexOf(ctrlC)
    if (at !== -1) {
      this.#waiting = ''
      process.kill(process.pid, 'SIGINT')
    }
    if (pressed.includes(ctrlZ)) this.#sleep()
    return pressed.slice(at + 1).replaceAll(ctrlZ, '')
  }

  #sleep(): void {
    this.#terminal.setRawMode(false)
    process.once('SIGCONT', () => this.#terminal.setRawMode(true))
    process.kill(process.pid, 'SIGTSTP')
  }

  /** Piece by piece, so that a prompt that has its answer leaves the rest alone. */
  async #feed(): Promise<void> {
    if (this.#isFeeding) return
    this.#isFeeding = true
    while (this.#prompt !== undefined && this.#waiting !== '') {
      const [piece] = untilEnd.exec(this.#waiting)!
      this.#waiting = this.#waiting.slice(piece.length)
      this.#prompt.write(piece)
      await turnOfTheLoop()
    }
    this.#isFeeding = false
  }
}
