import { expect, test } from 'vitest'
import type { SettingsFile } from '../../claude/driver/settings-login.ts'
import { ownLogin } from './own-login.ts'

const of = (level: SettingsFile['level'], settings: object): SettingsFile => ({
  ...{ level, path: `/p/${level}.json`, text: JSON.stringify(settings, null, 2) },
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

test('what would take the login is refused with file and line, in builds that follow it', () => {
  expect(ownLogin(byFile, found(of('project', socket)), newer)).toBeDefined()
  for (const version of [older, undefined])
    expect(() => ownLogin(byFile, found(of('project', socket)), version)).toThrow(
      expect.objectContaining({
        code: 'account_unusable',
        message: expect.stringContaining('/p/project.json, line 3'),
      }),
    )
  const hidden = { files: [], unread: ['/p/project.json'] }
  expect(() => ownLogin(byFile, hidden, older)).toThrow('/p/project.json cannot be read')
  expect(ownLogin(byFile, hidden, newer)).toBeDefined()
})

test('what an administrator says stays above: its variables are handed over, its helper is the login', () => {
  const files = found(of('project', { env: { ANTHROPIC_MODEL: 'm' } }), of('managed', socket))
  expect(ownLogin(byFile, files, older)?.env).toMatchObject(socket.env)
  const helper = of('managed', { apiKeyHelper: './key.sh' })
  expect(ownLogin(byFile, found(helper), newer)).toEqual({ env: {}, handed: {}, settings: {} })
})

test('the login in a directory keeps out the logins of others, and its settings are part of the account', () => {
  const none = { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '', CLAUDE_CODE_OAUTH_TOKEN: '' }
  const theirs = of('project', { apiKeyHelper: 'x', env: { ANTHROPIC_AUTH_TOKEN: 'x' } })
  expect(ownLogin(byDirectory, found(theirs), newer)).toEqual({
    ...{ env: {}, handed: {} },
    settings: { apiKeyHelper: '', env: none },
  })
  const gateway = { ANTHROPIC_BASE_URL: 'http://gateway', ANTHROPIC_AUTH_TOKEN: 't' }
  const own = of('user', { apiKeyHelper: './key.sh', env: { ...gateway, MAX_THINKING_TOKENS: '1' } })
  expect(ownLogin(byDirectory, found(own, theirs), newer)?.settings).toEqual({
    apiKeyHelper: './key.sh',
    env: { ...none, ...gateway },
  })
})

test('what would lead the login in a directory elsewhere is refused, unless the directory names its own', () => {
  const theirs = of('project', { env: { ANTHROPIC_BASE_URL: 'http://elsewhere' } })
  expect(() => ownLogin(byDirectory, found(theirs), newer)).toThrow('sets ANTHROPIC_BASE_URL')
  const own = of('user', { env: { ANTHROPIC_BASE_URL: 'http://gateway' } })
  expect(ownLogin(byDirectory, found(own, theirs), newer)).toBeDefined()
  const headers = of('project', { env: { ANTHROPIC_CUSTOM_HEADERS: 'X-Own: a' } })
  expect(ownLogin(byDirectory, found(headers), older)).toBeDefined()
})
