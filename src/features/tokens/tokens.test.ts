import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { Tokens } from './tokens.ts'

const hour = 3_600_000
const teams = ['backend']
const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, for: () => log }

/** The wall clock can be set, without the timers. */
class WallClock extends FakeClock {
  set = 1e12
  override now(): number {
    return super.now() + this.set
  }
}

function home() {
  const directory = mkdtempSync(join(tmpdir(), 'iris-tokens-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, 'tokens')
  const clock = new WallClock()
  const opened = (key = 'a key') => new Tokens({ file, key: () => key, clock, log })
  return { directory, file, clock, opened }
}

test('a token is found at its own address alone, with what its program may do', () => {
  const { opened } = home()
  const tokens = opened()
  const here = tokens.create('here', { teams, role: 'ci', calls: 60 }).token
  const there = tokens.create('there', { teams, address: 'https://a.example' }).token
  expect(tokens.find(here)).toMatchObject({ asker: 'program:here', teams, role: 'ci', calls: 60 })
  expect(tokens.find(here, 'https://a.example')).toBeUndefined()
  expect(tokens.find(there)).toBeUndefined()
  expect(tokens.find(there, 'https://b.example')).toBeUndefined()
  expect(tokens.find(there, 'https://a.example')).toMatchObject({ asker: 'program:there' })
})

test('tokens outlast a restart, and none of them one with another key', () => {
  const { file, opened } = home()
  const { token } = opened().create('ci', { teams })
  expect(readFileSync(file, 'utf8')).not.toContain(token)
  expect(opened().find(token)).toMatchObject({ asker: 'program:ci' })
  expect(opened('another key').find(token)).toBeUndefined()
  expect(opened('another key').list()).toEqual([])
})

test('a copied hash is no token, and who writes one into the file without the key makes none', () => {
  const { file, opened } = home()
  const { token } = opened().create('ci', { teams })
  const saved = JSON.parse(readFileSync(file, 'utf8'))
  const [{ hash }] = saved.programs.ci.secrets
  expect(opened().find(hash)).toBeUndefined()
  saved.programs.thief = { teams, secrets: [{ hash: token, madeAt: 0 }] }
  writeFileSync(file, JSON.stringify(saved))
  expect(opened().find(token)).toMatchObject({ asker: 'program:ci' })
})

test('the earlier token counts for a day more, never longer than before; three count at the most', async () => {
  const { clock, opened } = home()
  const tokens = opened()
  const first = tokens.create('ci', { teams, lifetimeMs: 30 * hour })
  await clock.advance(20 * hour)
  const second = tokens.rotate('ci', false)
  expect(second).toMatchObject({ earlierUntil: first.until, until: clock.now() + 30 * hour })
  await clock.advance(9 * hour)
  expect(tokens.find(first.token)).toBeDefined()
  await clock.advance(hour)
  expect(tokens.find(first.token)).toBeUndefined()
  expect(tokens.find(second.token)).toBeDefined()
  const rotated = [1, 2, 3].map(() => tokens.rotate('ci', false).token)
  expect(tokens.find(second.token)).toBeUndefined()
  expect(rotated.every((token) => tokens.find(token))).toBe(true)
  const { over } = tokens.find(rotated[0]!)!
  const last = tokens.rotate('ci', true).token
  expect(over.aborted).toBe(true)
  expect(rotated.some((token) => tokens.find(token))).toBe(false)
  expect(tokens.find(last)).toBeDefined()
})

test.each([
  ['by its time', async (clock: WallClock) => clock.advance(hour)],
  [
    'when a program uses it',
    async (clock: WallClock, tokens: Tokens, token: string) => {
      clock.set += hour
      tokens.find(token)
    },
  ],
  [
    'when it is listed',
    async (clock: WallClock, tokens: Tokens) => {
      clock.set += hour
      tokens.list()
    },
  ],
])('a token that was found to have ended, %s, counts no more when the clock is set back', async (_how, look) => {
  const { clock, opened } = home()
  const tokens = opened()
  const { token } = tokens.create('ci', { teams, lifetimeMs: hour })
  const { over } = tokens.find(token)!
  await look(clock, tokens, token)
  expect(over.aborted).toBe(true)
  clock.set -= 2 * hour
  expect(tokens.find(token)).toBeUndefined()
  expect(opened().find(token)).toBeUndefined()
  expect(opened().list()).toMatchObject([{ program: 'ci', isExpired: true }])
  // Its name is free again, for the same program.
  expect(opened().create('ci', { teams }).asker).toBe('program:ci')
})

test('what cannot be written down is not done', () => {
  const { directory, opened } = home()
  const tokens = opened()
  const { token } = tokens.create('ci', { teams })
  rmSync(directory, { recursive: true })
  for (const change of [
    () => tokens.create('other', { teams }),
    () => tokens.rotate('ci', true),
    () => tokens.revoke('ci'),
  ])
    expect(change).toThrow(expect.objectContaining({ code: 'store_unavailable' }))
  expect(tokens.find(token)).toMatchObject({ asker: 'program:ci' })
  expect(tokens.list()).toHaveLength(1)
})

test('a file that cannot be read lets nobody in, and is kept', () => {
  const { file, opened } = home()
  writeFileSync(file, '{"programs": 7}')
  expect(opened().list()).toEqual([])
  expect(existsSync(file)).toBe(false)
  expect(readFileSync(`${file}.unreadable`, 'utf8')).toBe('{"programs": 7}')
})

test('a program has one set of tokens, and a hundred programs have some', () => {
  const { opened } = home()
  const tokens = opened()
  for (let number = 0; number < 100; number += 1) tokens.create(`p${number}`, { teams })
  expect(() => tokens.create('p1', { teams })).toThrow(expect.objectContaining({ code: 'invalid_input' }))
  expect(() => tokens.create('one-more', { teams })).toThrow(expect.objectContaining({ code: 'invalid_input' }))
})

test('what was opened at a public address ends when Iris answers at another one', () => {
  const { opened } = home()
  const tokens = opened()
  const [address, other] = ['https://a.example', 'https://b.example']
  const { token } = tokens.create('there', { teams, address })
  const { over } = tokens.find(token, address)!
  tokens.leaveAddress(address)
  expect(over.aborted).toBe(false)
  tokens.leaveAddress(other)
  expect(over.aborted).toBe(true)
  expect(tokens.find(token, address)?.over.aborted).toBe(false)
})
