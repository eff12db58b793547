import { isUtf8 } from 'node:buffer'
import { StringDecoder } from 'node:string_decoder'

export interface LineSplitterOptions {
  /** Longest line in bytes. A longer line is dropped whole. */
  readonly maxLineBytes: number
  readonly onLine: (line: string) => void
  /** Called for a line over the limit; `bytes` is its length without the LF. */
  readonly onOversize: (bytes: number) => void
  /** Called for a line that is not UTF-8, which is dropped. Without this callback, invalid bytes become U+FFFD. */
  readonly onInvalid?: () => void
}

const lineFeed = 0x0a
/** In bytes. A longer line is decoded piece by piece, because decoding 50 MB at once would block everything else. */
const longLine = 256 * 1024

/**
 * Splits a byte stream into lines at LF only. (`readline` would also split at U+2028, which JSON does not escape.)
 * A character that spans two chunks survives. Skips blank lines and removes a CR before the LF. Collects the chunks of
 * a line in a list and joins them once.
 */
export class LineSplitter {
  readonly #options: LineSplitterOptions
  #parts: Buffer[] = []
  #bytes = 0
  /** The decoded beginning of a long line, without what is still in `#parts`. */
  #decoded: { text: string; readonly decoder: StringDecoder } | undefined

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
    const rest = this.#decoded ? this.#longText(this.#decoded) : Buffer.concat(this.#parts).toString('utf8')
    this.#forget()
    return rest
  }

  get #oversize(): boolean {
    return this.#bytes > this.#options.maxLineBytes
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length
    if (this.#oversize) {
      this.#parts = []
      this.#decoded = undefined
      return
    }
    this.#parts.push(part)
    if (this.#bytes > longLine && this.#options.onInvalid === undefined) this.#decode()
  }

  #decode(): void {
    this.#decoded ??= { text: '', decoder: new StringDecoder('utf8') }
    for (const part of this.#parts) this.#decoded.text += this.#decoded.decoder.write(part)
    this.#parts = []
  }

  #longText({ text, decoder }: { readonly text: string; readonly decoder: StringDecoder }): string {
    return text + decoder.end()
  }

  #forget(): void {
    this.#parts = []
    this.#bytes = 0
    this.#decoded = undefined
  }

  #emit(): void {
    const bytes = this.#bytes
    if (this.#oversize) {
      this.#forget()
      this.#options.onOversize(bytes)
      return
    }
    if (this.#decoded) {
      const text = this.#longText(this.#decoded)
      this.#forget()
      return this.#options.onLine(text.endsWith('\r') ? text.slice(0, -1) : text)
    }
    const line = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
    this.#forget()
    const length = line.at(-1) === 0x0d ? line.length - 1 : line.length
    const { onLine, onInvalid } = this.#options
    if (onInvalid && !isUtf8(line)) onInvalid()
    else if (length > 0) onLine(line.toString('utf8', 0, length))
  }
}
