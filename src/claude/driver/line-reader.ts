import { type Line, parseLine, withoutFiles } from '../../base/agent/line.ts'
import { LineSplitter } from '../../base/lib/line-splitter.ts'
import type { Child } from '../../platform/machine/child.ts'

/** Large, because the CLI echoes a whole message with its pictures and documents. */
const maxLineBytes = 64 * 1024 * 1024

/** Reads the lines that a process prints, from its first byte on. Pauses until the promise of `drained` resolves. */
export class LineReader {
  readonly #child: Child
  readonly #lines: LineSplitter
  readonly #drained: () => Promise<void> | undefined

  constructor(child: Child, take: (line: Line) => void, drained: () => Promise<void> | undefined) {
    this.#child = child
    this.#drained = drained
    this.#lines = new LineSplitter({
      maxLineBytes,
      onLine: (line) => take(withoutFiles(parseLine(line) ?? { type: 'iris_raw', text: line })),
      onOversize: (bytes) => take({ type: 'iris_dropped_line', bytes }),
    })
  }

  read(): void {
    this.#child.read((chunk) => {
      this.#lines.push(chunk)
      return this.#drained()
    })
  }

  /** The output after the last whole line, if any. Call it after the process has exited. */
  rest(): Line | undefined {
    const text = this.#lines.rest()
    return text === '' ? undefined : { type: 'iris_fragment', text }
  }
}
