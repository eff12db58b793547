import { describe, expect, test } from 'vitest'
import { senders } from '../../../test/support/senders.ts'
import { identityOf } from './scheme.ts'

const now = 1_700_000_000_000
const minuteMs = 60_000
const whsec = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const secret = "It's a Secret to Everybody"
const body = '{"action":"opened"}'

const received = (headers: Record<string, string>, sent = body) => ({
  header: (name: string) => headers[name],
  body: Buffer.from(sent),
})

describe('a request', () => {
  test("counts with the examples of the senders' own documents", () => {
    // https://github.com/standard-webhooks/standard-webhooks, libraries/*: the vector that all of them test.
    const standard = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    }
    const sent = received(standard, '{"test": 2432232314}')
    expect(identityOf('standard', [whsec], sent, 1_614_265_330_000)).toMatchObject({ keptMs: 30 * 86_400_000 })
    // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
    const github = {
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    }
    expect(identityOf('github', [secret], received(github, 'Hello, World!'), now)).toMatchObject({
      keptMs: 30 * 86_400_000,
    })
  })

  test('of each scheme counts with its secret alone, over the bytes that were sent', () => {
    const signed = senders.standard(whsec, { id: 'm1', at: now, body })
    const other = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
    expect(identityOf('standard', [whsec], received(signed), now)).toBeDefined()
    expect(identityOf('standard', [other], received(signed), now)).toBeUndefined()
    expect(identityOf('standard', [other, whsec], received(signed), now)).toBeDefined()
    expect(identityOf('standard', [], received(signed), now)).toBeUndefined()
    expect(identityOf('standard', [whsec], received(signed, `${body} `), now)).toBeUndefined()
    for (const wrong of [{ 'webhook-id': 'm2' }, { 'webhook-timestamp': '1700000001' }, { 'webhook-signature': '' }])
      expect(identityOf('standard', [whsec], received({ ...signed, ...wrong }), now)).toBeUndefined()

    const hub = senders.github(secret, { body })
    expect(identityOf('github', [secret], received(hub), now)).toBeDefined()
    expect(identityOf('github', [other], received(hub), now)).toBeUndefined()
    expect(identityOf('github', [secret], received(hub, `${body}\n`), now)).toBeUndefined()
    const sum = hub['x-hub-signature-256']!.slice('sha256='.length)
    for (const wrong of [sum, `sha1=${sum}`, `sha256=${sum.slice(1)}`, `sha256=${sum.toUpperCase()}0`, 'sha256='])
      expect(identityOf('github', [secret], received({ 'x-hub-signature-256': wrong }), now)).toBeUndefined()

    for (const proof of [senders.bearer, senders.gitlab]) {
      expect(
        identityOf('token', ['a-secret-without-blanks'], received(proof('a-secret-without-blanks')), now),
      ).toBeDefined()
      expect(
        identityOf('token', ['a-secret-without-blanks'], received(proof('a-secret-without-blank')), now),
      ).toBeUndefined()
    }
    expect(identityOf('token', [secret], received({}), now)).toBeUndefined()
    // The proof of one scheme is none in another.
    expect(identityOf('github', [whsec], received(signed), now)).toBeUndefined()
    expect(identityOf('standard', [secret], received(hub), now)).toBeUndefined()
  })

  test('of Standard Webhooks is five minutes old at the most', () => {
    const at = (ms: number) =>
      identityOf('standard', [whsec], received(senders.standard(whsec, { id: 'm', at: ms, body })), now)
    expect(at(now - 5 * minuteMs)).toBeDefined()
    expect(at(now - 5 * minuteMs - 1000)).toBeUndefined()
    expect(at(now + 5 * minuteMs + 1000)).toBeUndefined()
  })

  test('is the same as another by its id, its key, or its content', () => {
    const standard = (id: string, sent: string) =>
      identityOf('standard', [whsec], received(senders.standard(whsec, { id, at: now, body: sent }), sent), now)!.hash
    expect(standard('m1', 'a')).toBe(standard('m1', 'b'))
    expect(standard('m1', 'a')).not.toBe(standard('m2', 'a'))
    const token = (headers: Record<string, string>, sent = body) =>
      identityOf('token', ['t'], received({ ...senders.bearer('t'), ...headers }, sent), now)!
    expect(token({ 'idempotency-key': 'k' }, 'a')).toEqual(token({ 'idempotency-key': 'k' }, 'b'))
    expect(token({}, 'a').hash).not.toBe(token({}, 'b').hash)
    expect(token({}).keptMs).toBe(10 * minuteMs)
    expect(token({ 'idempotency-key': 'k' }).keptMs).toBe(30 * 86_400_000)
    // A key and a body with the same text are two events.
    expect(token({ 'idempotency-key': 'same' }).hash).not.toBe(token({}, 'same').hash)
    const hub = (delivery: string) =>
      identityOf(
        'github',
        [secret],
        received({ ...senders.github(secret, { body }), 'x-github-delivery': delivery }),
        now,
      )
    expect(hub('first')).toEqual(hub('repeated by hand'))
  })
})
