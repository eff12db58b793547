import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ForwardProxy } from '../../../test/support/forward-proxy.ts'
import { ProxyFailure } from './proxy-access.ts'
import { throughProxy } from './through-proxy.ts'

const outside = 'http://outside.test'
const target = createServer((request, response) => {
  const echo = (body: Buffer): unknown =>
    response.end(JSON.stringify({ type: request.headers['content-type'], body: body.toString() }))
  void buffer(request).then(echo)
})
let proxy: ForwardProxy
const ways: ReturnType<typeof throughProxy>[] = []
beforeAll(async () => {
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  proxy = await ForwardProxy.start({ 'outside.test:80': (target.address() as AddressInfo).port })
})
afterAll(async () => {
  for (const way of ways) way.end()
  target.closeAllConnections()
  target.close()
  await proxy[Symbol.asyncDispose]()
})

function wayOut({ url = proxy.url, password = proxy.password } = {}) {
  const encoded = Buffer.from(`${proxy.user}:${password}`).toString('base64')
  const way = throughProxy({ url, authorization: `Basic ${encoded}` })
  ways.push(way)
  return way
}

const sent = async (way: ReturnType<typeof wayOut>, init: RequestInit, by: 'fetch' | 'freshly' = 'fetch') => {
  const response = await way[by](outside, { method: 'POST', ...init })
  return (await response.json()) as { type?: string; body: string }
}

test('a text, a form and a stream arrive whole, if need be over a connection each', async () => {
  const way = wayOut()
  expect((await sent(way, { body: 'a text' })).body).toBe('a text')
  const form = new FormData()
  form.append('file', new Blob(['content']), 'name.txt')
  const { type, body } = await sent(way, { body: form })
  expect(type).toMatch(/^multipart\/form-data; boundary=/)
  expect(body).toContain('filename="name.txt"')
  const stream = Readable.from([Buffer.from('part 1, '), Buffer.from('part 2')]) as unknown as string
  expect((await sent(way, { body: stream, headers: { 'content-type': 'x/y' } })).body).toBe('part 1, part 2')
  const before = proxy.tunnels.length
  for (const body of ['one', 'two']) await sent(way, { body }, 'freshly')
  expect(proxy.tunnels.length - before).toBe(2)
})

test('an address on this machine is reached without the proxy', async () => {
  const before = proxy.seen.length
  const { port } = target.address() as AddressInfo
  const response = await wayOut().fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'here' })
  expect(await response.json()).toMatchObject({ body: 'here' })
  expect(proxy.seen.length).toBe(before)
})

test('a proxy that refuses, or that is not there, is named, without its address and its password', async () => {
  const failure = (promise: Promise<unknown>) => promise.then(String, (error: unknown) => error)
  const refused = await failure(sent(wayOut({ password: 'a wrong one' }), { body: '' }))
  expect(refused).toBeInstanceOf(ProxyFailure)
  expect(String(refused)).toBe('Error: the proxy answered with 407: it asks for another user or password')
  const closed = await failure(wayOut().fetch('http://other.test/'))
  expect(String(closed)).toBe('Error: the proxy answered with 403: it does not let this address through')
  const absent = await failure(sent(wayOut({ url: 'http://127.0.0.1:9' }), { body: '' }))
  expect(String(absent)).toBe('Error: the proxy cannot be reached (ECONNREFUSED)')
})

test('a signal that a library brought ends the request', async () => {
  const listeners: (() => void)[] = []
  const foreign = { aborted: false, addEventListener: (_: string, listener: () => void) => listeners.push(listener) }
  const request = wayOut().fetch(outside, { signal: foreign as unknown as AbortSignal })
  for (const abort of listeners) abort()
  await expect(request).rejects.toThrow(/abort/i)
})
