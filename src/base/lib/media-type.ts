import { isUtf8 } from 'node:buffer'

const signatures: readonly (readonly [mediaType: string, isIt: (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => begins(bytes, '\x89PNG\r\n\x1a\n')],
  ['image/jpeg', (bytes) => begins(bytes, '\xff\xd8\xff')],
  ['image/gif', (bytes) => begins(bytes, 'GIF87a') || begins(bytes, 'GIF89a')],
  ['image/webp', (bytes) => begins(bytes, 'RIFF') && begins(bytes.subarray(8), 'WEBP')],
  ['application/pdf', (bytes) => begins(bytes, '%PDF-')],
  ['text/plain', (bytes) => isUtf8(bytes) && !bytes.includes(0)],
]

/** The media type of a file by its content, of those that Iris distinguishes. */
export function mediaTypeOf(bytes: Buffer): string {
  return signatures.find(([, isIt]) => isIt(bytes))?.[0] ?? 'application/octet-stream'
}

function begins(bytes: Buffer, with_: string): boolean {
  return bytes.subarray(0, with_.length).equals(Buffer.from(with_, 'latin1'))
}
