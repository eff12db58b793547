import type { ContentBlock } from '../../base/agent/content-block.ts'
import { mediaTypeOf } from '../../base/lib/media-type.ts'
import { pictureSize } from '../../base/lib/picture-size.ts'
import type { Attachment } from '../../base/protocol/attachment.ts'

/** The limits of the Messages API. A picture's size limit applies to its base64, which is a third longer. */
const maxOfPicture = 5 * 1024 * 1024
const maxPixels = 8000
const maxPages = 100
/**
 * The limit for all images and documents in a conversation, in base64. A request may have 32 MB for the whole
 * conversation, so images in earlier messages count again in each request.
 */
const maxOfConversation = 20 * 1024 * 1024

/**
 * How Claude gets a file: a picture or a document that the API accepts becomes a block of the message, anything else
 * stays a file. `before`: bytes of the blocks that the conversation already has. If the API refused a block, it would
 * refuse every later message of the conversation too, so a doubtful file is not made a block.
 */
export function kindOf(content: Buffer, before: number): Pick<Attachment, 'kind' | 'mediaType'> {
  const mediaType = mediaTypeOf(content)
  const fits = inBase64(content.length + before) <= maxOfConversation
  if (fits && isPicture(content, mediaType)) return { kind: 'image', mediaType }
  if (fits && mediaType === 'application/pdf' && isDocument(content)) return { kind: 'document', mediaType }
  return { kind: 'file', mediaType }
}

function isPicture(content: Buffer, mediaType: string): boolean {
  if (!mediaType.startsWith('image/') || inBase64(content.length) > maxOfPicture) return false
  const { width = 0, height = 0 } = pictureSize(content, mediaType) ?? {}
  return [width, height].every((pixels) => pixels > 0 && pixels <= maxPixels)
}

/** A complete PDF without a password, whose pages can be counted (in a compressed PDF they cannot). */
function isDocument(content: Buffer): boolean {
  const text = content.toString('latin1')
  if (!text.slice(-1024).includes('%%EOF') || /\/Encrypt\b/.test(text)) return false
  const pages = text.match(/\/Type\s*\/Page\b/g)?.length ?? 0
  return pages > 0 && pages <= maxPages
}

function inBase64(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

/** The block of a file; undefined for a file that the model reads from its path. */
export function contentBlock({ kind, mediaType, name }: Attachment, content: Uint8Array): ContentBlock | undefined {
  if (kind === 'file') return undefined
  const source = { type: 'base64', media_type: mediaType, data: Buffer.from(content).toString('base64') } as const
  return { type: kind, source, ...(kind === 'document' && { title: name }) }
}
