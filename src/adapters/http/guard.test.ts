import { Hono, type MiddlewareHandler } from 'hono'
import { expect, test } from 'vitest'
import { loopbackOnly, publicOnly } from './guard.ts'
import type { Routes } from './routes.ts'

async function answering(guard: MiddlewareHandler, headers: Record<string, string>): Promise<string> {
  const app: Routes = new Hono()
  app.use(guard)
  app.get('/', ({ text }) => text('let in'))
  app.onError(({ message }, { text }) => text(message))
  return (await app.request('/', { headers })).text()
}

test.each([
  [{ host: '127.0.0.1:1615' }, 'let in'],
  [{ host: 'iris.example' }, 'Iris answers only requests addressed to this machine (Host: iris.example).'],
  [
    { host: 'localhost:1615', origin: 'http://localhost:3000' },
    'Iris does not answer requests from pages of another origin (http://localhost:3000).',
  ],
  [
    { host: 'localhost:1615', 'sec-fetch-site': 'same-site' },
    'Iris does not answer requests from pages of another origin (same-site).',
  ],
])('a request with %j: %s', async (headers, text) => {
  expect(await answering(loopbackOnly, headers as Record<string, string>)).toBe(text)
})

test('at the public address a page of another origin and a missing address have errors of their own', async () => {
  const at = (address: string | undefined) => publicOnly(() => address)
  const evil = { origin: 'https://evil.example' }
  expect(await answering(at('https://iris.example'), evil)).toBe(
    'Iris does not answer requests from pages of another origin (https://evil.example).',
  )
  expect(await answering(at(undefined), {})).toBe('This Iris has no public address.')
})
