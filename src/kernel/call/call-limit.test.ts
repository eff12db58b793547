import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { shareIn, shareText } from '../../platform/config/share.ts'
import { countedAs } from './call.ts'
import { CallLimit } from './call-limit.ts'
import { aProgram, theOwner } from './principal.ts'

/** How many of `calls` calls the limit lets through. */
function throughOf(limit: CallLimit, calls: number, key = 'program'): number {
  let through = 0
  for (let call = 0; call < calls; call++) {
    try {
      limit.take(key)
      through += 1
    } catch (error) {
      if (!(error instanceof IrisError) || error.code !== 'too_many_calls') throw error
    }
  }
  return through
}

test('a minute holds so many calls, at once or spread over it', async () => {
  const clock = new FakeClock()
  const limit = new CallLimit({ clock, perMinute: () => 600 })
  expect(throughOf(limit, 10_000)).toBe(600)
  let through = 0
  for (let second = 0; second < 60; second++) {
    await clock.advance(1000)
    through += throughOf(limit, 166)
  }
  expect(through).toBe(600)
})

test('each is counted alone, and a limit that was changed holds at once', async () => {
  const clock = new FakeClock()
  let perMinute = 10
  const limit = new CallLimit({ clock, perMinute: () => perMinute })
  expect(throughOf(limit, 20)).toBe(10)
  expect(throughOf(limit, 20, 'agent:alpha→beta')).toBe(10)
  await clock.advance(60_000)
  perMinute = 3
  expect(throughOf(limit, 20)).toBe(3)
})

test('who is refused learns after how long there is room for one more', async () => {
  const clock = new FakeClock()
  const limit = new CallLimit({ clock, perMinute: () => 6 })
  expect(throughOf(limit, 6)).toBe(6)
  await clock.advance(4000)
  expect(() => limit.take('program')).toThrow(expect.objectContaining({ retryAfterMs: 6000 }))
  await clock.advance(6000)
  expect(() => limit.take('program')).not.toThrow()
})

test('so many calls may be open at once, and one that has ended makes room', () => {
  const limit = new CallLimit({ clock: new FakeClock(), perMinute: () => 100_000 })
  const leave = Array.from({ length: 2000 }, () => limit.enter('program'))
  expect(() => limit.enter('program')).toThrow('2000 calls')
  limit.enter('share:command')()
  leave[7]!()
  expect(() => limit.enter('program')).not.toThrow()
})

test.each([
  ['a program', {}, 'program'],
  ['a command of the owner', { share: 'command' }, 'share:command'],
  ['a bridge', { share: 'bridge-1' }, 'share:bridge-1'],
  ['the owner by any other program', { principal: theOwner }, 'owner'],
  ['a command that acts as the owner', { principal: theOwner, share: 'command' }, 'share:command'],
  ['a browser of the owner', { principal: theOwner, loginId: 'abc' }, 'login:abc'],
])('%s has a bucket of its own', (_who, more, key) => {
  expect(countedAs({ principal: aProgram, team: undefined, parent: undefined, ...more })).toBe(key)
})

test('a share is had by knowing the credential of the owner, under that name alone', () => {
  const proven = shareText('bridge-0a', 'secret')
  expect(shareIn(proven, 'secret')).toBe('bridge-0a')
  const [, proof] = proven.split(' ')
  for (const text of [undefined, '', 'command', `command ${proof}`, shareText('command', 'guess'), `${proven}0`]) {
    expect(shareIn(text, 'secret')).toBeUndefined()
  }
  expect(shareIn(shareText('anything', 'secret'), 'secret')).toBeUndefined()
})

test('a bucket may hold fewer a minute than the others, and never more', () => {
  const limit = new CallLimit({ clock: new FakeClock(), perMinute: () => 10 })
  const through = (key: string, own: number): number => {
    let times = 0
    try {
      for (; times < 100; times += 1) limit.take(key, own)
    } catch {}
    return times
  }
  expect(through('program:a', 3)).toBe(3)
  expect(through('program:b', 50)).toBe(10)
})
