import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { OpenRequests } from './open-requests.ts'

const mebibyte = 1024 * 1024

/** A request whose body comes in the pieces that the test gives it. */
function slow(headers: Record<string, string> = {}) {
  let send!: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void (send = controller) })
  const request = new Request('http://127.0.0.1/in/a', { method: 'POST', headers, body, duplex: 'half' })
  return { request, send: (text: string) => send.enqueue(Buffer.from(text)), end: () => send.close() }
}

const whole = (body: string) => new Request('http://127.0.0.1/in/a', { method: 'POST', body })

test('a body is read as it was sent, up to a mebibyte, and none is kept that nobody wants', async () => {
  const open = new OpenRequests(new FakeClock())
  const read = async (request: Request, keeps = true) => {
    const place = open.enter('a')
    const got = await place.read(request, keeps)
    place.leave()
    return got
  }
  expect(await read(whole('{"a": 1}\n'))).toEqual({ body: Buffer.from('{"a": 1}\n') })
  expect(await read(whole('x'.repeat(mebibyte)))).toEqual({ body: Buffer.alloc(mebibyte, 'x') })
  expect(await read(whole('x'.repeat(mebibyte + 1)))).toEqual({ dropped: 'tooLarge' })
  expect(await read(whole('x'.repeat(mebibyte + 1)), false)).toEqual({ dropped: 'tooLarge' })
  expect(await read(whole('{"a": 1}'), false)).toEqual({ body: Buffer.alloc(0) })
  // A request that says that it is too large is not read.
  expect(await read(slow({ 'content-length': String(mebibyte + 1) }).request)).toEqual({ dropped: 'tooLarge' })
})

test('a request that is half sent ends after ten seconds', async () => {
  const clock = new FakeClock()
  const open = new OpenRequests(clock)
  const half = slow()
  const place = open.enter('a')
  const reading = place.read(half.request, true)
  half.send('{"a":')
  await clock.advance(9999)
  const other = open.enter('a')
  expect(await other.read(whole('{}'), true)).toEqual({ body: Buffer.from('{}') })
  await clock.advance(1)
  expect(await reading).toEqual({ dropped: 'tooSlow' })
})

test('of one name eight are open: a ninth takes the place of the one that has been sending longest', async () => {
  const open = new OpenRequests(new FakeClock())
  const begin = (name: string) => {
    const place = open.enter(name)
    const half = slow()
    return { place, half, read: place.read(half.request, true) }
  }
  const others = begin('b')
  const eight = Array.from({ length: 8 }, () => begin('a'))
  // It has arrived, and is being worked on.
  eight[0]!.half.end()
  expect(await eight[0]!.read).toEqual({ body: Buffer.alloc(0) })
  const ninth = begin('a')
  expect(await eight[1]!.read).toEqual({ dropped: 'crowded' })
  // Later requests are still read, and so are those of other names.
  for (const { half, read } of [ninth, others, ...eight.slice(2)]) {
    half.send('{}')
    half.end()
    expect(await read).toEqual({ body: Buffer.from('{}') })
  }
  // All places are taken by requests that have arrived: none is left.
  eight[1]!.place.leave()
  expect(await begin('a').read).toEqual({ dropped: 'crowded' })
  eight[2]!.place.leave()
  eight[3]!.place.leave()
  const next = begin('a')
  next.half.end()
  expect(await next.read).toEqual({ body: Buffer.alloc(0) })
})
