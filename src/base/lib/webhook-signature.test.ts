import { describe, expect, test } from 'vitest'
import { signedBy, standardSignature } from '../../../test/support/webhook-endpoint.ts'
import { signedHeaders, verify } from './webhook-signature.ts'

const secret = 'a secret of thirty-two characters'
const at = 1_700_000_000_123
const body = '{"decision":"allow"}'
const signing = { key: secret, id: 'msg_1', at }

function verified(headers: Record<string, string>, text = body, now = at) {
  return verify(secret, { header: (name) => headers[name], body: Buffer.from(text) }, now)
}

test('the documented example of Standard Webhooks has the documented signature', () => {
  const whsec = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const example = '{"test": 2432232314}'
  const headers = signedHeaders(whsec, { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: 1_614_265_330_000, body: example })
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('a text that is no whsec_ key is its own bytes', () => {
  const headers = signedHeaders(secret, { id: 'msg_1', at, body: 'ä' })
  expect(headers['webhook-signature']).toBe(standardSignature(secret, 'msg_1', '1700000000', 'ä'))
})

describe('a received message', () => {
  const good = signedBy(signing, body)

  test('counts when the secret signed it', () => {
    expect(verified(good)).toEqual({ id: 'msg_1' })
  })

  test('counts when one of several signatures fits, as while a key is changed', () => {
    const list = `v1a,AAAA v1,${Buffer.alloc(32).toString('base64')} ${good['webhook-signature']}`
    expect(verified({ ...good, 'webhook-signature': list })).toEqual({ id: 'msg_1' })
  })

  const wrong = { refused: 'its signature was not made with the secret of forwardTo' }
  const unsigned = { refused: 'it is not signed' }
  test.for<[what: string, headers: Record<string, string>, said: object]>([
    ['without headers', {}, unsigned],
    ['without a signature', { ...good, 'webhook-signature': '' }, wrong],
    ['under another id', { ...good, 'webhook-id': 'msg_2' }, wrong],
    ['at another time', { ...good, 'webhook-timestamp': '1700000001' }, wrong],
    ['of another version', { ...good, 'webhook-signature': good['webhook-signature']!.replace('v1,', 'v2,') }, wrong],
    ['signed with another secret', signedBy({ ...signing, key: `${secret}!` }, body), wrong],
    ['with a dot in its id', signedBy({ ...signing, id: 'msg.1' }, body), unsigned],
    ['with half of its signature', { ...good, 'webhook-signature': good['webhook-signature']!.slice(0, 20) }, wrong],
  ])('does not count %s', ([, headers, said]) => {
    expect(verified(headers)).toEqual(said)
  })

  test('does not count with another body', () => {
    expect(verified(good, '{"decision": "allow"}')).toEqual(wrong)
  })

  test('counts for five minutes, either way', () => {
    const old = { refused: 'its webhook-timestamp differs from the time here by more than five minutes' }
    const second = Math.floor(at / 1000) * 1000
    expect(verified(good, body, second + 300_000)).toEqual({ id: 'msg_1' })
    expect(verified(good, body, second + 300_001)).toEqual(old)
    expect(verified(good, body, second - 300_001)).toEqual(old)
  })
})
