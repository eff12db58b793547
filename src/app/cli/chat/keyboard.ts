import { PassThrough, type Readable } from 'node:stream'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { CommandContext, CommandInput } from '../context.ts'

const [ctrlC, ctrlD, ctrlZ] = ['\u0003', '\u0004', '\u001a']
/**
 * The input a prompt gets at once: up to the end of a line or Ctrl-D; the rest is for the next prompt. A tab that
 * completes a command ends a piece, because readline treats a tab inside a piece as pasted text.
 */
const untilEnd = new RegExp(`^/[^\\r\\n\\t${ctrlD}]*\\t|^[^\\r\\n${ctrlD}]*[\\r\\n${ctrlD}]?`)

/**
 * The keys of this terminal for many prompts. Between prompts, keys, including Ctrl-D, wait for the next prompt as in a
 * terminal's own buffer. Ctrl-C raises SIGINT and discards the keys typed before it.
 */
export class Keyboard implements Disposable {
  readonly #context: CommandContext
  readonly #terminal: CommandInput
  #waiting = ''
  #prompt: PassThrough | undefined
  #isFeeding = false

  constructor(context: CommandContext) {
    this.#context = context
    this.#terminal = context.stdin
    this.#terminal.setRawMode?.(true)
    this.#terminal.setEncoding('utf8').on('data', this.#hear).resume()
  }

  /** Gives a prompt the keys until it ends. */
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
    this.#terminal.off('data', this.#hear)
    this.#terminal.setRawMode?.(false)
    this.#terminal.pause()
  }

  readonly #hear = (pressed: string): void => {
    this.#waiting += this.#prompt === undefined ? this.#actOn(pressed) : pressed
    void this.#feed()
  }

  /** Handles Ctrl-C and Ctrl-Z as the terminal itself would; returns the keys that remain to be read. */
  #actOn(pressed: string): string {
    const at = pressed.lastIndexOf(ctrlC)
    if (at !== -1) {
      this.#waiting = ''
      this.#context.raise('SIGINT')
    }
    if (pressed.includes(ctrlZ)) this.#sleep()
    return pressed.slice(at + 1).replaceAll(ctrlZ, '')
  }

  #sleep(): void {
    this.#terminal.setRawMode?.(false)
    this.#context.onceSignal('SIGCONT', () => this.#terminal.setRawMode?.(true))
    this.#context.raise('SIGTSTP')
  }

  /** Feeds one piece at a time, so that a prompt that has its answer leaves the rest for the next prompt. */
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
