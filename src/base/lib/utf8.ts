import { isUtf8 } from 'node:buffer'

const decoder = new TextDecoder()

/** The decoded text without a byte order mark. Undefined if the bytes are not UTF-8, which U+FFFD would hide. */
export function utf8Of(bytes: Uint8Array | ArrayBuffer): string | undefined {
  return isUtf8(bytes) ? decoder.decode(bytes) : undefined
}

/**
 * The end of a piece of text that starts at `from` with the given number of UTF-16 code units, plus one if a character
 * would be split.
 */
export function pieceEnd(text: string, from: number, length: number): number {
  const end = Math.min(from + length, text.length)
  return end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1]!) ? end + 1 : end
}
