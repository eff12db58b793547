import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { loopbackOnly, publicOnly } from './guard.ts'
import type { Routes } from './routes.ts'

const answering = (app: Routes, headers: Record<string, string>) =>
  app
    .get('/', ({ text }) => text('let in'))
    .onError(({ message }, { text }) => text(message))
    .request('/', { headers })
    .then((answer: Response) => answer.text())

test.each([
  [{ host: '127.0.0.1:1615' }, 'let in'],
  [{ host: 'iris.example' }, 'Iris only answers requests addressed to this machine (Host: iris.example).'],
  [
    { host: 'localhost:1615', origin: 'http://localhost:3000' },
    'Iris does not answer pages of another origin (http://localhost:3000).',
  ],
  [
    { host: 'localhost:1615', 'sec-fetch-site': 'same-site' },
    'Iris does not answer pages of another origin (same-site).',
  ],
])('a request with %j: %s', async (headers, text) => {
  expect(await answering(new Hono().use(loopbackOnly) as Routes, headers as Record<string, string>)).toBe(text)
})

test('at the public address a page of another origin and a missing address have errors of their own', async () => {
  const at = (address: string | undefined) => new Hono().use(publicOnly(() => address)) as Routes
  const evil = { origin: 'https://evil.example' }
  expect(await answering(at('https://iris.example'), evil)).toBe(
    'Iris does not answer pages of another origin (https://evil.example).',
  )
  expect(await answering(at(undefined), {})).toBe('This Iris has no public address now.')
})
