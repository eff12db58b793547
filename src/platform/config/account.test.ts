import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/temporary-home.ts'
import { isWrittenForm } from './account.ts'
import { inForce } from './described.ts'
import { secretFiles } from './secret-files.ts'

test('an account is known by the path that an earlier Iris stored as it was written', () => {
  expect(isWrittenForm('~/.claude-work', '/home/me/.claude-work')).toBe(true)
  expect(isWrittenForm('./work-token', '/home/me/.iris/work-token')).toBe(true)
  expect(isWrittenForm('work-token', '/home/me/.iris/work-token')).toBe(true)
  expect(isWrittenForm('~/.claude-work', '/home/me/.claude-other')).toBe(false)
  expect(isWrittenForm('/home/me/.claude-work', '/home/you/.claude-work')).toBe(false)
  expect(isWrittenForm('', '/home/me/.claude-work')).toBe(false)
})

test('teams have the account of their host, unless they name another login or are on another machine', async () => {
  await using disk = await temporaryHome()
  for (const name of ['a', 'b', 'c']) await disk.write(`${name}/README.md`, '')
  const config = await disk.load(`
settings: { account: { tokenFile: ~/team.token, limitAt: 0.5 } }
teams:
  a: { path: ~/a }
  b: { path: ~/b, account: { tokenFile: ~/b.token } }
  c: { path: ~/c, env: { ANTHROPIC_API_KEY: own } }
  d: { path: /d, remote: ssh inanna }
`)
  const ofHost = { tokenFile: `${disk.root}/team.token`, limitAt: 0.5, mayContinue: false }
  const accounts = Object.fromEntries([...config.teams].map(([name, { account }]) => [name, account]))
  expect(accounts).toEqual({
    a: ofHost,
    c: undefined,
    d: undefined,
    b: { tokenFile: `${disk.root}/b.token`, mayContinue: false },
  })
  expect(config.teams.get('a')!.env).toMatchObject({ ANTHROPIC_API_KEY: '' })
  expect(config.teams.get('c')!.env).toEqual({ ANTHROPIC_API_KEY: 'own' })
  const shown = Object.fromEntries(
    (await inForce(config)).teams.map((team) => [team.name, team.config['account'] !== undefined]),
  )
  expect(shown).toEqual({ a: true, b: true, c: false, d: false })
})

test('the token of a host is hidden from agents, also while no team uses it', async () => {
  await using disk = await temporaryHome()
  const config = await disk.load('settings: { account: { tokenFile: ~/team.token } }')
  expect(secretFiles(config, { HOME: disk.root })).toEqual([`${disk.root}/team.token`])
})

test('an account of a host beside another login in its env is a mistake', async () => {
  await using disk = await temporaryHome()
  expect(
    await disk.mistakes('settings: { env: { CLAUDE_CODE_OAUTH_TOKEN: x }, account: { tokenFile: ~/t } }'),
  ).toContain('is a second login, in addition to CLAUDE_CODE_OAUTH_TOKEN in env')
})
