/** In pixels. */
export interface PictureSize {
  readonly width: number
  readonly height: number
}

/**
 * The size of a picture according to its header; undefined for a truncated file and for unknown variants of the format.
 */
export function pictureSize(bytes: Buffer, mediaType: string): PictureSize | undefined {
  try {
    return readers[mediaType]?.(bytes)
  } catch {
    // The file ends within its header.
    return undefined
  }
}

const readers: Readonly<Record<string, (bytes: Buffer) => PictureSize | undefined>> = {
  'image/png': (bytes) =>
    bytes.toString('latin1', 12, 16) === 'IHDR' &&
    bytes.toString('latin1', bytes.length - 8, bytes.length - 4) === 'IEND'
      ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
      : undefined,
  'image/gif': (bytes) =>
    bytes.at(-1) === 0x3b ? { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) } : undefined,
  'image/jpeg': jpegSize,
  'image/webp': webpSize,
}

function webpSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.readUInt32LE(4) + 8 > bytes.length) return undefined
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const sizes = bytes.readUInt32LE(21)
      return { width: (sizes & 0x3fff) + 1, height: ((sizes >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}

/** The markers that begin a frame; the others between C0 and CF are tables. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

function jpegSize(bytes: Buffer): PictureSize | undefined {
  // Some cameras append more data after the end of the picture.
  if (bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) < 4) return undefined
  for (let at = 2; bytes.readUInt8(at) === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt8(at + 1)
    if (isFrame(marker)) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
  }
  return undefined
}
