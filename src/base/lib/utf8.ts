import { isUtf8 } from 'node:buffer'

const decoder = new TextDecoder()

/** The decoded text without a byte order mark. Undefined if the bytes are not UTF-8, which U+FFFD would hide. */
export function utf8Of(bytes: Uint8Array | ArrayBuffer): string | undefined {
  return isUtf8(bytes) ? decoder.decode(bytes) : undefined
}
