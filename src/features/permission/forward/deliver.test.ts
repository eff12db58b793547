import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/support/eventually.ts'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { type Respond, WebhookEndpoint } from '../../../../test/support/webhook-endpoint.ts'
import type { Resolve } from '../../../base/lib/checked-lookup.ts'
import { type Delivered, deliver } from './deliver.ts'

const status =
  (code: number, headers = {}): Respond =>
  (response) =>
    response.writeHead(code, headers).end('text')

interface Sent {
  readonly outcome: Promise<Delivered>
  readonly clock: FakeClock
  readonly stop: () => void
}

function send(url: string, resolve?: Resolve): Sent {
  const clock = new FakeClock()
  const stop = new AbortController()
  const message = () => ({ headers: { 'x-time': String(clock.now()) }, body: '{}' })
  return { outcome: deliver({ url, resolve, message, clock, signal: stop.signal }), clock, stop: () => stop.abort() }
}

/** Waits until each attempt is answered, and then advances the clock by its pause. */
async function throughPauses(endpoint: WebhookEndpoint, clock: FakeClock, pauses: readonly number[]): Promise<void> {
  for (const [index, pauseMs] of pauses.entries()) {
    await eventually(() => endpoint.taken.length === index + 1, `attempt ${index + 1}`)
    // After the answer only the pause is left: the limit of ten seconds is cancelled.
    await eventually(() => clock.next === pauseMs, `the pause of ${pauseMs} ms`)
    await clock.advance(pauseMs)
  }
}

describe('a delivery', () => {
  test('ends with the first reply that takes it', async () => {
    await using endpoint = await WebhookEndpoint.start(status(201))
    const outcome = await send(endpoint.url).outcome
    expect(outcome).toMatchObject({ reply: { status: 201 } })
    expect(endpoint.taken).toMatchObject([{ path: '/hooks/T0SECRET', body: '{}' }])
  })

  test.each([500, 503, 429])(
    'is tried three times more when the status is %s, each time as a new request',
    async (code) => {
      await using endpoint = await WebhookEndpoint.start(status(code))
      const { outcome, clock } = send(endpoint.url)
      await throughPauses(endpoint, clock, [1000, 4000, 15_000])
      expect(await outcome).toMatchObject({ failed: `it answered with the HTTP status ${code}` })
      expect(endpoint.taken.map(({ headers }) => headers['x-time'])).toEqual(['0', '1000', '5000', '20000'])
    },
  )

  test('is over once a later attempt is taken', async () => {
    await using endpoint = await WebhookEndpoint.start((response, _, attempt) =>
      response.writeHead(attempt < 3 ? 502 : 200).end(),
    )
    const { outcome, clock } = send(endpoint.url)
    await throughPauses(endpoint, clock, [1000, 4000])
    expect(await outcome).toMatchObject({ reply: { status: 200 } })
    expect(endpoint.taken).toHaveLength(3)
  })

  test.each([400, 401, 404, 410])('is not tried again when the status is %s', async (code) => {
    await using endpoint = await WebhookEndpoint.start(status(code))
    expect(await send(endpoint.url).outcome).toMatchObject({ failed: `it answered with the HTTP status ${code}` })
    expect(endpoint.taken).toHaveLength(1)
  })

  test.each([301, 302, 303, 307, 308])('does not follow a redirect (%s)', async (code) => {
    await using other = await WebhookEndpoint.start()
    await using endpoint = await WebhookEndpoint.start(status(code, { location: other.url }))
    expect(await send(endpoint.url).outcome).toMatchObject({ failed: `it answered with the HTTP status ${code}` })
    expect(other.taken).toEqual([])
  })

  test('waits ten seconds for each reply', async () => {
    await using endpoint = await WebhookEndpoint.start(() => {})
    const { outcome, clock } = send(endpoint.url)
    for (const [index, pauseMs] of [1000, 4000, 15_000, 0].entries()) {
      await eventually(() => endpoint.taken.length === index + 1, `attempt ${index + 1}`)
      expect(clock.next).toBe(10_000)
      await clock.advance(10_000)
      if (pauseMs === 0) break
      await eventually(() => clock.next === pauseMs, `the pause of ${pauseMs} ms`)
      await clock.advance(pauseMs)
    }
    expect(await outcome).toMatchObject({ failed: 'it did not answer within 10000 ms' })
  })

  test('to nobody says so', async () => {
    const endpoint = await WebhookEndpoint.start()
    await endpoint[Symbol.asyncDispose]()
    const { outcome, clock } = send(endpoint.url)
    for (const pauseMs of [1000, 4000, 15_000]) {
      await eventually(() => clock.next === pauseMs, `the pause of ${pauseMs} ms`)
      await clock.advance(pauseMs)
    }
    expect(await outcome).toMatchObject({ failed: 'it could not be reached (ECONNREFUSED)' })
  })

  test('to a name that leads into a private network is not tried', async () => {
    await using endpoint = await WebhookEndpoint.start()
    const resolve: Resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    const outcome = await send(`https://hooks.example:${endpoint.port}/`, resolve).outcome
    expect(outcome).toMatchObject({
      failed: 'its name resolves to a private network, which only "private: true" allows',
    })
    expect(endpoint.taken).toEqual([])
  })

  test('ends when nobody needs it any more, also between two attempts', async () => {
    await using endpoint = await WebhookEndpoint.start(status(500))
    const { outcome, clock, stop } = send(endpoint.url)
    await eventually(() => clock.next === 1000, 'the pause')
    stop()
    expect(await outcome).toHaveProperty('failed')
    expect(endpoint.taken).toHaveLength(1)
  })

  test('reads no more of a reply than anybody needs', async () => {
    await using endpoint = await WebhookEndpoint.start((response) => response.writeHead(200).end('x'.repeat(1 << 20)))
    expect(await send(endpoint.url).outcome).toMatchObject({ reply: { status: 200, body: undefined } })
  })

  test('goes straight to the address, whatever proxy the environment names', async () => {
    await using proxy = await WebhookEndpoint.start()
    await using endpoint = await WebhookEndpoint.start()
    const program = `import { post } from ${JSON.stringify(new URL('../../../base/lib/post.ts', import.meta.url).href)}
      await post({ url: ${JSON.stringify(endpoint.url)}, headers: {}, body: '', signal: AbortSignal.timeout(10_000) })`
    const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: `http://${proxy.host}` }
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env })
    expect([proxy.taken.length, endpoint.taken.length]).toEqual([0, 1])
  })
})
