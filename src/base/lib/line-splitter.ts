import { isUtf8 } from 'node:buffer'

export interface LineSplitterOptions {
  /** Longest line kept, in bytes. A longer one is dropped whole. */
  readonly maxLineBytes: number
  readonly onLine: (line: string) => void
  /** A line was over the limit; `bytes` is its length without the line feed. */
  readonly onOversize: (bytes: number) => void
  /** A line is not UTF-8. Without this, U+FFFD stands for what cannot be decoded. */
  readonly onInvalid?: () => void
}

const lineFeed = 0x0a

/**
 * Splits a byte stream into lines at LF only. (`readline` would also split at U+2028, which JSON leaves bare.)
 * Decodes a whole line at once, so a character cut by a chunk boundary survives. Blank lines are skipped, a CR before
 * the LF is removed. Chunks of a long line are kept in a list and joined once.
 */
export class LineSplitter {
  readonly #options: LineSplitterOptions
  #parts: Buffer[] = []
  #bytes = 0

  constructor(options: LineSplitterOptions) {
    this.#options = options
  }

  push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      this.#keep(chunk.subarray(start, end))
      this.#emit()
      start = end + 1
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start))
  }

  /** The unfinished last line, if any. Call once, when the stream has ended. */
  rest(): string {
    const rest = Buffer.concat(this.#parts).toString('utf8')
    this.#parts = []
    this.#bytes = 0
    return rest
  }

  get #oversize(): boolean {
    return this.#bytes > this.#options.maxLineBytes
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length
    if (this.#oversize) this.#parts = []
    else this.#parts.push(part)
  }

  #emit(): void {
    const bytes = this.#bytes
    if (this.#oversize) {
      this.#bytes = 0
      this.#options.onOversize(bytes)
      return
    }
    const line = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
    this.#parts = []
    this.#bytes = 0
    const length = line.at(-1) === 0x0d ? line.length - 1 : line.length
    const { onLine, onInvalid } = this.#options
    if (onInvalid && !isUtf8(line)) onInvalid()
    else if (length > 0) onLine(line.toString('utf8', 0, length))
  }
}
