import { sha256 } from './sha256.ts'

/** A UUID (version 8) derived from a text: equal texts give equal UUIDs. */
export function uuidOf(text: string): string {
  const hex = sha256(text)
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) % 4]
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
