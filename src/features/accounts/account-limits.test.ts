import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { temporaryHome } from '../../../test/support/temporary-home.ts'
import { type Limited, limitWords } from '../../base/protocol/limit.ts'
import { LoginUses } from '../../kernel/pool/login-uses.ts'
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
  /** What other hosts say of their teams. */
  const said = new Map<string, Limited>()
  const elsewhere = (team: string): Limited | undefined => said.get(team)
  const loginUses = new LoginUses()
  const around = { clock, publish: () => {}, log: noLog, rows, elsewhere, loginUses }
  const limits = new AccountLimits({ config: () => config, ...around })
  const resetsAt = Math.ceil((clock.now() + hourMs) / 1000)
  const refusal = { status: 'rejected', rateLimitType: 'five_hour', resetsAt }
  return {
    limits,
    said,
    loginUses,
    now: clock.now(),
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
  a: { path: ${home}/a, account: { configDirectory: ${home}/logins/second } }
  b: { path: ${home}/b, account: { configDirectory: ${home}/logins//second/ } }
  far: { remote: ssh studio, path: /srv/far, account: { configDirectory: ${home}/logins/second } }
`,
  )
  refuse('a')
  expect(['a', 'b', 'far'].map((team) => limits.of(team)?.until)).toEqual([until, until, undefined])
})

test('the same login at another address is another account: what refuses it there says nothing of the others', async () => {
  const { limits, loginUses, refuse, until } = await limitsOf(
    (home) => `
teams:
  a: { path: ${home}/a, account: { tokenFile: work.token }, env: { ANTHROPIC_BASE_URL: http://gateway } }
  b: { path: ${home}/b, account: { tokenFile: work.token } }
  c: { path: ${home}/c }
  far: { remote: ssh studio, path: /srv/far, account: { tokenFile: work.token } }
`,
  )
  refuse('a')
  expect(['a', 'b', 'far'].map((team) => limits.of(team)?.until)).toEqual([until, undefined, undefined])
  refuse('c')
  const env = (variables: object) => ({
    files: [{ level: 'project', path: 'settings.json', text: JSON.stringify({ env: variables }) } as const],
    unread: [],
  })
  loginUses.note('c', env({ ANTHROPIC_BASE_URL: 'http://elsewhere' }))
  expect(limits.of('c')).toBeUndefined()
  loginUses.note('c', env({ MAX_THINKING_TOKENS: '1' }))
  expect(limits.of('c')?.until).toBe(until)
})

test('a team of another host waits for no limit of this one', async () => {
  const { limits, refuse, until } = await limitsOf((home) => `teams: { a: { path: ${home}/a } }`)
  refuse('a')
  expect(limits.of('a')?.until).toBe(until)
  expect(limits.of('a@studio')).toBeUndefined()
  expect(() => limits.refuse('a@studio', 1000)).not.toThrow()
})

test('a team of another host waits for the limit that its host names, until that time on the clock here', async () => {
  const { limits, said, now } = await limitsOf((home) => `teams: { a: { path: ${home}/a } }`)
  const over = { until: now + hourMs, window: 'five_hour' }
  said.set('a@studio', over).set('b@studio', { ...over, until: now - 1 })
  expect([limits.of('a@studio'), limits.of('b@studio'), limits.of('a')]).toEqual([over, undefined, undefined])
  expect(() => limits.refuse('a@studio', 1000)).toThrow(expect.objectContaining({ code: 'limited' }))
  expect(() => limits.refuse('a@studio')).not.toThrow()
})

test('an ask for a login that ran out on another host is not refused, and tries no login here', async () => {
  const { limits, said, now } = await limitsOf((home) => `teams: { a: { path: ${home}/a } }`)
  said.set('a@studio', { until: now - 1, window: 'login' })
  expect(() => limits.refuse('a@studio', 1000)).not.toThrow()
  expect([limits.of('a@studio')?.window, limits.of('a')]).toEqual(['login', undefined])
})

test('an ask whose wait or whose time ends before the limit is refused, with what to do', async () => {
  const { limits, refuse } = await limitsOf((home) => `teams: { a: { path: ${home}/a } }`)
  refuse('a')
  expect(() => limits.refuse('a', 1000)).toThrow(expect.objectContaining({ code: 'limited' }))
  const tooSoon = { code: 'limited', remedy: 'Ask again then, or with a budget that allows more time.' }
  expect(() => limits.refuse('a', undefined, 1000)).toThrow(expect.objectContaining(tooSoon))
  expect(() => limits.refuse('a', 2 * hourMs, 2 * hourMs)).not.toThrow()
  expect(() => limits.refuse('a')).not.toThrow()
})

test('at the share that is left to Iris the account is not over its limit, until it is', async () => {
  const { limits, now } = await limitsOf(
    (home) => `
settings: { limitAt: 0.85 }
teams: { a: { path: ${home}/a } }
`,
  )
  const resetsAt = now / 1000 + 3600
  const used = (utilization: number, status = 'allowed_warning') =>
    limits.saw('a', {
      type: 'rate_limit_event',
      rate_limit_info: {
        status,
        rateLimitType: 'five_hour',
        resetsAt,
        unifiedWindows: { five_hour: { utilization, resetsAt } },
      },
    })
  const words = () => limitWords(limits.of('a')?.window, limits.of('a')?.until ?? 0, { at: () => 'noon', now })
  used(0.86)
  expect(words()).toBe('at your share of its five-hour limit until noon')
  used(1.01, 'rejected')
  expect(words()).toBe('over its five-hour limit until noon')
})

test('the next try of a login is never in the past', async () => {
  const words = (until: number) => limitWords('login', until, { at: String, now: 5 })
  expect(words(6)).toContain('Next try: 6')
  expect(words(5)).toContain('Next try: with the next message')
})
