import { isUtf8 } from 'node:buffer'

const decoder = new TextDecoder()

/** The text that bytes are, without a byte order mark; undefined when they are not UTF-8: decoded all the same, U+FFFD would hide that. */
export function utf8Of(bytes: Uint8Array | ArrayBuffer): string | undefined {
  return isUtf8(bytes) ? decoder.decode(bytes) : undefined
}
