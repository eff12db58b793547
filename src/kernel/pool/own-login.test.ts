import { expect, test } from 'vitest'
import type { SettingsFile } from '../../claude/driver/settings-login.ts'
import { ownLogin } from './own-login.ts'

const of = (level: SettingsFile['level'], settings: object): SettingsFile => ({
  level,
  path: `/p/${level}.json`,
  text: JSON.stringify(settings, null, 2),
})
const found = (...files: readonly SettingsFile[]) => ({ files, unread: [] })
const [newer, older] = ['2.1.330', '2.1.197']
const byFile = { name: 'a', account: { tokenFile: '/t', mayContinue: false } }
const byDirectory = { name: 'a', account: { configDirectory: '/c', mayContinue: false } }
const socket = { env: { ANTHROPIC_UNIX_SOCKET: '/s' } }

test('without an account Claude Code finds its login by itself', () => {
  expect(ownLogin({ name: 'a' }, found(of('project', socket)), older)).toBeUndefined()
})

test('with an account Iris chooses the login, and hands over which models people want', () => {
  const files = found(of('user', { env: { ANTHROPIC_MODEL: 'm' } }), of('project', { apiKeyHelper: 'x' }))
  expect(ownLogin(byFile, files, newer)).toEqual({
    env: { CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST: '1' },
    handed: { ANTHROPIC_MODEL: 'm' },
    settings: { apiKeyHelper: '' },
  })
})

test('what would take the login is refused with file and line, in builds for which nothing else is measured', () => {
  for (const its of [byFile, byDirectory]) {
    expect(ownLogin(its, found(of('project', socket)), newer)).toBeDefined()
    for (const version of [older, undefined])
      expect(() => ownLogin(its, found(of('project', socket)), version)).toThrow(
        expect.objectContaining({
          code: 'account_unusable',
          message: expect.stringContaining('/p/project.json, line 3'),
        }),
      )
  }
  const hidden = { files: [], unread: ['/p/project.json'] }
  expect(() => ownLogin(byFile, hidden, older)).toThrow('/p/project.json cannot be read')
  expect(ownLogin(byFile, hidden, newer)).toBeDefined()
})

test('older builds start with a value for each variable of the login, and take none from a file that changes later', () => {
  const headers = of('project', { env: { ANTHROPIC_CUSTOM_HEADERS: 'X-Own: a' } })
  const { env, handed, settings } = ownLogin(byFile, found(headers), older, { HTTPS_PROXY: 'p', PATH: '/bin' })!
  expect(env).toMatchObject({
    CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST: '1',
    CLAUDE_CODE_ENVIRONMENT_KIND: 'byoc',
    ANTHROPIC_UNIX_SOCKET: '',
    ANTHROPIC_CUSTOM_HEADERS: '',
    HTTPS_PROXY: 'p',
  })
  expect(env).not.toHaveProperty('PATH')
  expect(handed).toEqual({ ANTHROPIC_CUSTOM_HEADERS: 'X-Own: a' })
  expect(settings).toMatchObject({ apiKeyHelper: '' })
})

test('what an administrator says stays above: its variables are handed over, its helper is the login', () => {
  const files = found(
    of('project', { env: { ANTHROPIC_MODEL: 'm', ANTHROPIC_SMALL_FAST_MODEL: 's' } }),
    of('managed', { env: { ANTHROPIC_MODEL: 'theirs', ...socket.env } }),
  )
  const { env, handed } = ownLogin(byFile, files, older)!
  expect(env).toMatchObject({ ...socket.env, ANTHROPIC_MODEL: 'theirs' })
  expect(handed).toEqual({ ANTHROPIC_SMALL_FAST_MODEL: 's' })
  const helper = of('managed', { apiKeyHelper: './key.sh' })
  const its = ownLogin(byFile, found(helper), newer, { CLAUDE_CODE_OAUTH_TOKEN: 't' })!
  expect(its).toMatchObject({
    env: {},
    handed: {},
    settings: { env: { CLAUDE_CODE_OAUTH_TOKEN: '', HTTPS_PROXY: '' } },
  })
  expect(its.settings).not.toHaveProperty('apiKeyHelper')
})

test('the login in a directory keeps out the logins and the addresses of others, and its settings are part of the account', () => {
  const theirs = of('project', {
    apiKeyHelper: 'x',
    env: { ANTHROPIC_AUTH_TOKEN: 'x', ANTHROPIC_BASE_URL: 'http://elsewhere', HTTPS_PROXY: 'http://elsewhere' },
  })
  const { env, settings } = ownLogin(byDirectory, found(theirs), newer, {
    ANTHROPIC_BASE_URL: 'http://ours',
    CLAUDE_CONFIG_DIR: '/c',
  })!
  expect(env).toEqual({})
  const none = { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '', CLAUDE_CODE_OAUTH_TOKEN: '', HTTPS_PROXY: '' }
  expect(settings).toMatchObject({
    apiKeyHelper: '',
    env: { ...none, ANTHROPIC_BASE_URL: 'http://ours', CLAUDE_CONFIG_DIR: '/c', ANTHROPIC_PROFILE: '' },
  })
  const own = of('user', { apiKeyHelper: './key.sh', env: { ANTHROPIC_BASE_URL: 'http://gateway' } })
  expect(ownLogin(byDirectory, found(own, theirs), newer)?.settings).toMatchObject({
    apiKeyHelper: './key.sh',
    env: { ANTHROPIC_BASE_URL: 'http://gateway' },
  })
})

test('a key in the settings of the directory, and a password of a proxy, are on no command line', () => {
  const own = found(of('user', { env: { ANTHROPIC_AUTH_TOKEN: 'confidential' } }))
  const proxy = { HTTPS_PROXY: 'http://me:confidential@proxy' }
  for (const { env, settings } of [ownLogin(byDirectory, own, newer)!, ownLogin(byDirectory, found(), newer, proxy)!]) {
    expect(JSON.stringify(settings)).not.toContain('confidential')
    expect(Object.values(env).join()).toContain('confidential')
    expect(env).toMatchObject({ CLAUDE_CODE_ENVIRONMENT_KIND: 'byoc', ANTHROPIC_UNIX_SOCKET: '' })
  }
})
