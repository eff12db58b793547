import { isUtf8 } from 'node:buffer'

const signatures: readonly (readonly [mediaType: string, matches: (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => begins(bytes, '\x89PNG\r\n\x1a\n')],
  ['image/jpeg', (bytes) => begins(bytes, '\xff\xd8\xff')],
  ['image/gif', (bytes) => begins(bytes, 'GIF87a') || begins(bytes, 'GIF89a')],
  ['image/webp', (bytes) => begins(bytes, 'RIFF') && begins(bytes.subarray(8), 'WEBP')],
  ['application/pdf', (bytes) => begins(bytes, '%PDF-')],
  ['text/plain', (bytes) => isUtf8(bytes) && !bytes.includes(0)],
]

/**
 * The media type of a file, recognized by its content. Any type that is not in the list is `application/octet-stream`.
 */
export function mediaTypeOf(bytes: Buffer): string {
  return signatures.find(([, matches]) => matches(bytes))?.[0] ?? 'application/octet-stream'
}

function begins(bytes: Buffer, signature: string): boolean {
  return bytes.subarray(0, signature.length).equals(Buffer.from(signature, 'latin1'))
}
