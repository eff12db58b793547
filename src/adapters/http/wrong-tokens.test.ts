import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { addressOf, WrongTokens } from './wrong-tokens.ts'

test('after thirty wrong tokens an address waits for the rest of the minute, and no other one does', async () => {
  const clock = new FakeClock()
  const wrong = new WrongTokens(clock)
  for (let times = 0; times < 30; times += 1) {
    wrong.admit('a')
    wrong.note('a')
  }
  await clock.advance(20_000)
  expect(() => wrong.admit('a')).toThrow(expect.objectContaining({ code: 'too_many_calls', retryAfterMs: 40_000 }))
  expect(() => wrong.admit('b')).not.toThrow()
  await clock.advance(40_000)
  expect(() => wrong.admit('a')).not.toThrow()
})

test('of very many addresses the oldest is forgotten', () => {
  const wrong = new WrongTokens(new FakeClock())
  for (let times = 0; times < 30; times += 1) wrong.note('first')
  for (let number = 0; number < 10_000; number += 1) wrong.note(`other-${number}`)
  expect(() => wrong.admit('first')).not.toThrow()
})

test.each([
  ['203.0.113.9, 198.51.100.1', '127.0.0.1', '198.51.100.1'],
  [undefined, '127.0.0.1', '127.0.0.1'],
  ['', undefined, 'unknown'],
  ['2001:DB8:1:2:3:4:5:6', '127.0.0.1', '2001:db8:1:2'],
  ['2001:db8::7', '127.0.0.1', '2001:db8:0:0'],
  ['2001:0db8:0:0:1::7', '127.0.0.1', '2001:db8:0:0'],
  ['2001:db8:1:2::', '127.0.0.1', '2001:db8:1:2'],
  ['::1', '127.0.0.1', '0:0:0:0'],
  ['fe80::1%eth0', '127.0.0.1', 'fe80:0:0:0'],
  [undefined, '::ffff:198.51.100.1', '198.51.100.1'],
  ['2001:db8', '127.0.0.1', '2001:db8'],
])('the address of %s over %s is %s', (forwarded, connected, expected) => {
  expect(addressOf(forwarded, connected)).toBe(expected)
})
