import { expect, test } from 'vitest'
import { tinyPdf, tinyPng } from '../../../test/support/attachable.ts'
import { kindOf } from './content-blocks.ts'

/** A picture with these dimensions, which only its header has. */
function png(width: number, height: number, bytes = tinyPng.length): Buffer {
  const picture = Buffer.concat([tinyPng.subarray(0, 33), Buffer.alloc(bytes - tinyPng.length), tinyPng.subarray(33)])
  picture.writeUInt32BE(width, 16)
  picture.writeUInt32BE(height, 20)
  return picture
}

const latin = (text: string): Buffer => Buffer.from(text, 'latin1')
const pages = (count: number): Buffer => latin(`%PDF-1.4\n${'<</Type /Page>>\n'.repeat(count)}%%EOF\n`)
const jpeg = (end: string): Buffer =>
  latin(`\xff\xd8\xff\xe0\x00\x04ab\xff\xc2\x00\x0b\x08\x00\x02\x00\x03\x01\x01\x11\x00data${end}`)
const webp = (length: number): Buffer =>
  Buffer.concat([latin('RIFF'), Buffer.from([length, 0, 0, 0]), latin('WEBPVP8L'), Buffer.alloc(18)])

test.each([
  ['a PNG', tinyPng, 'image', 'image/png'],
  ['a PNG of 8000 pixels', png(8000, 8000), 'image', 'image/png'],
  ['a PNG of 5 MB in base64', png(9, 9, 3_932_160), 'image', 'image/png'],
  ['a GIF', latin('GIF89a\x01\x00\x01\x00rest;'), 'image', 'image/gif'],
  ['a JPEG', jpeg('\xff\xd9'), 'image', 'image/jpeg'],
  ['a JPEG with more after its end', jpeg('\xff\xd9and more'), 'image', 'image/jpeg'],
  ['a WebP', webp(26), 'image', 'image/webp'],
  ['a PDF', tinyPdf, 'document', 'application/pdf'],
  ['a PDF of 100 pages', pages(100), 'document', 'application/pdf'],
])('%s is shown to the model', (_what, content, kind, mediaType) => {
  expect(kindOf(content, 0)).toEqual({ kind, mediaType })
})

test.each([
  ['a PNG of 8001 pixels', png(8001, 1), 'image/png'],
  ['a PNG without a pixel', png(0, 1), 'image/png'],
  ['a PNG over 5 MB in base64', png(9, 9, 3_932_161), 'image/png'],
  ['a PNG that is cut off', tinyPng.subarray(0, 60), 'image/png'],
  ['the beginning of a PNG', tinyPng.subarray(0, 9), 'image/png'],
  ['a JPEG that is cut off', jpeg(''), 'image/jpeg'],
  ['a JPEG whose parts lead nowhere', latin('\xff\xd8\xff\xe0\xff\xff\xff\xd9'), 'image/jpeg'],
  ['a GIF that is cut off', latin('GIF89a\x01\x00\x01\x00rest'), 'image/gif'],
  ['a WebP that is cut off', webp(200), 'image/webp'],
  ['a PDF of 101 pages', pages(101), 'application/pdf'],
  ['a PDF whose pages are compressed', pages(0), 'application/pdf'],
  ['a PDF with a password', Buffer.concat([latin('%PDF-1.4 /Encrypt 5 0 R'), tinyPdf.subarray(9)]), 'application/pdf'],
  ['a PDF that is cut off', tinyPdf.subarray(0, 150), 'application/pdf'],
  ['text', latin('heron'), 'text/plain'],
  ['nothing', Buffer.alloc(0), 'text/plain'],
  ['SVG', latin('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'text/plain'],
  ['bytes', Buffer.from([1, 0, 2]), 'application/octet-stream'],
  ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe]), 'application/octet-stream'],
])('%s is a file', (_what, content, mediaType) => {
  expect(kindOf(content, 0)).toEqual({ kind: 'file', mediaType })
})

test('a conversation holds 20 MB of pictures and documents in base64; further ones are files', () => {
  const most = 15_728_640
  expect(kindOf(tinyPng, most - tinyPng.length).kind).toBe('image')
  expect(kindOf(tinyPng, most - tinyPng.length + 1).kind).toBe('file')
  expect(kindOf(tinyPdf, most).kind).toBe('file')
})
