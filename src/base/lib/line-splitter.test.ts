import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineSplitter } from './line-splitter.ts'

/** Splits these chunks. Returns the lines, the sizes of dropped lines, and the rest. */
function split(chunks: readonly Uint8Array[], maxLineBytes = 1_000_000) {
  const out: (string | number)[] = []
  const splitter = new LineSplitter({
    maxLineBytes,
    onLine: (line) => out.push(line),
    onOversize: (bytes) => out.push(bytes),
  })
  for (const chunk of chunks) splitter.push(Buffer.from(chunk))
  return { out, rest: splitter.rest() }
}

/** Cuts the bytes at these offsets. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

const text = 'ä\u2028b\u2029c\r\n\n\r\n{"x":"𝄞\\n"}\n lone \r inside\nrest'
const lines = ['ä\u2028b\u2029c', '{"x":"𝄞\\n"}', ' lone \r inside']

test('lines end at LF only; CR before it and blank lines are left out; what has no end is the rest', () => {
  expect(split([Buffer.from(text)])).toEqual({ out: lines, rest: 'rest' })
})

test('however the bytes are cut, the same lines come out', () => {
  const bytes = Buffer.from(text)
  for (let at = 0; at <= bytes.length; at++) expect(split(cut(bytes, [at]))).toEqual({ out: lines, rest: 'rest' })
  expect(split([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual({ out: lines, rest: 'rest' })
})

test('any text in any chunks is what it is in one', () => {
  const pieces = fc.array(fc.constantFrom('a', 'ä', '€', '𝄞', '\ud800', '\udc00', '\n', '\r\n', '\r', '\u2028', '\0'))
  fc.assert(
    fc.property(pieces, fc.array(fc.nat()), (parts, places) => {
      const whole = parts.join('')
      const { out, rest } = split(cut(Buffer.from(whole), places))
      const expected = whole.toWellFormed().split('\n')
      expect(rest).toBe(expected.pop())
      expect(out).toEqual(expected.map((line) => line.replace(/\r$/, '')).filter((line) => line !== ''))
    }),
  )
})

test('any bytes at all in any chunks are what they are in one', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.array(fc.nat()), fc.integer({ min: 1, max: 20 }), (bytes, places, limit) => {
      expect(split(cut(Buffer.from(bytes), places), limit)).toEqual(split([bytes], limit))
    }),
  )
})

test('bytes that are no UTF-8 become U+FFFD, and nothing else does', () => {
  const bytes = Buffer.from([0x61, 0xff, 0x62, 0x0a, 0xe2, 0x82, 0xac, 0x0a, 0xed, 0xa0, 0x80, 0x0a])
  expect(split([bytes]).out).toEqual(['a\ufffdb', '€', '\ufffd\ufffd\ufffd'])
})

test('a line over the limit is dropped whole, whatever its chunks, and its size is told; the next one is read', () => {
  const bytes = Buffer.from(`${'x'.repeat(10)}\n${'y'.repeat(11)}\nz\n`)
  for (let at = 0; at <= bytes.length; at++) {
    expect(split(cut(bytes, [at, at + 3, at + 7]), 10).out).toEqual(['x'.repeat(10), 11, 'z'])
  }
})

test('the rest of a line that is over the limit already is nothing', () => {
  expect(split([Buffer.from('x'.repeat(11))], 10)).toEqual({ out: [], rest: '' })
})

test('a line of 10 MB in pipe-sized chunks is put together once', () => {
  const bytes = Buffer.from(`${'é'.repeat(5_000_000)}\nnext\n`)
  const chunks = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, index) =>
    bytes.subarray(index * 65_536, (index + 1) * 65_536),
  )
  const { out } = split(chunks, 16 * 1024 * 1024)
  expect(out).toHaveLength(2)
  expect(out[0] === 'é'.repeat(5_000_000)).toBe(true)
})

const beginning = 'ä'.repeat(150_000)

test('a long line is what it is in one, however its end is cut', () => {
  const end = Buffer.from('€𝄞\u2028\r\n{}\nrest €')
  for (let at = 0; at <= end.length; at++) {
    const [first, second] = cut(end, [at])
    const { out, rest } = split([Buffer.from(beginning), first!, second!])
    expect([out.length, out[0] === `${beginning}€𝄞\u2028`, out[1], rest]).toEqual([2, true, '{}', 'rest €'])
  }
  expect(split([Buffer.from(beginning), Buffer.from('€')]).rest === `${beginning}€`).toBe(true)
  expect(split([Buffer.from(beginning), Buffer.from('b\nc\n')], 300_001).out[0] === `${beginning}b`).toBe(true)
  expect(split([Buffer.from(beginning), Buffer.from('bc\nd\n')], 300_001).out).toEqual([300_002, 'd'])
})

test('the pieces of a long line are decoded as they come, not all at its end', () => {
  const found: string[] = []
  const splitter = new LineSplitter({ maxLineBytes: 1e6, onLine: (line) => found.push(line), onOversize: () => {} })
  const piece = Buffer.from(beginning)
  splitter.push(piece)
  piece.fill('x')
  splitter.push(Buffer.from('\n'))
  expect(found[0] === beginning).toBe(true)
})
