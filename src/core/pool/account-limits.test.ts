import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { temporaryHome } from '../../../test/support/temporary-home.ts'
import { AccountLimits } from './account-limits.ts'

const hourMs = 3_600_000
const noLog = { warn: () => {}, info: () => {}, debug: () => {} }

/** The limits of the teams that this config.yaml names. Iris's home, which it gets, is `~/iris`. */
async function limitsOf(yaml: (home: string) => string) {
  await using disk = await temporaryHome()
  for (const team of ['a', 'b', 'c']) mkdirSync(join(disk.home, team))
  const config = await disk.load(yaml(disk.home))
  const clock = new FakeClock()
  const rows = { all: () => [], keep: () => {} }
  const limits = new AccountLimits({ config: () => config, clock, publish: () => {}, log: noLog, rows })
  const resetsAt = Math.ceil((clock.now() + hourMs) / 1000)
  const refusal = { status: 'rejected', rateLimitType: 'five_hour', resetsAt }
  return {
    limits,
    until: resetsAt * 1000,
    refuse: (team: string) => limits.saw(team, { type: 'rate_limit_event', rate_limit_info: refusal }),
  }
}

test('a token is one account, on whichever machine and however its file is written', async () => {
  const { limits, refuse, until } = await limitsOf(
    (home) => `
teams:
  a: { path: ${home}/a, account: { tokenFile: work.token } }
  b: { path: ${home}/b, account: { tokenFile: ~/iris/work.token } }
  far: { remote: ssh studio, path: /srv/far, account: { tokenFile: ${home}/work.token } }
  c: { path: ${home}/c, account: { tokenFile: other.token } }
`,
  )
  refuse('far')
  expect(['a', 'b', 'far', 'c'].map((team) => limits.of(team)?.until)).toEqual([until, until, until, undefined])
})

test('a directory is one account however it is written, and another one on each machine', async () => {
  const { limits, refuse, until } = await limitsOf(
    (home) => `
teams:
  a: { path: ${home}/a, account: { configDirectory: ${home}/logins/work } }
  b: { path: ${home}/b, account: { configDirectory: ${home}/logins//work/ } }
  far: { remote: ssh studio, path: /srv/far, account: { configDirectory: ${home}/logins/work } }
`,
  )
  refuse('a')
  expect(['a', 'b', 'far'].map((team) => limits.of(team)?.until)).toEqual([until, until, undefined])
})

test('a team of another host waits for no limit of this one', async () => {
  const { limits, refuse, until } = await limitsOf((home) => `teams: { a: { path: ${home}/a } }`)
  refuse('a')
  expect(limits.of('a')?.until).toBe(until)
  expect(limits.of('a@studio')).toBeUndefined()
  expect(() => limits.refuse('a@studio', 1000)).not.toThrow()
})

test('an ask whose wait or whose time ends before the limit is refused, with what to do', async () => {
  const { limits, refuse } = await limitsOf((home) => `teams: { a: { path: ${home}/a } }`)
  refuse('a')
  expect(() => limits.refuse('a', 1000)).toThrow(expect.objectContaining({ code: 'limited' }))
  const tooSoon = { code: 'limited', remedy: 'Ask again then, or with a budget of more time.' }
  expect(() => limits.refuse('a', undefined, 1000)).toThrow(expect.objectContaining(tooSoon))
  expect(() => limits.refuse('a', 2 * hourMs, 2 * hourMs)).not.toThrow()
  expect(() => limits.refuse('a')).not.toThrow()
})
