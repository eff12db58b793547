import { expect, test } from 'vitest'
import {
  handedOver,
  isConfidential,
  isFollowedByOlder,
  loginIn,
  loginTakers,
  loginValues,
  type SettingsFile,
} from './settings-login.ts'

const file = (level: SettingsFile['level'], settings: object | string): SettingsFile => ({
  level,
  path: `/p/${level}.json`,
  text: typeof settings === 'string' ? settings : JSON.stringify(settings, null, 2),
})
const env = (level: SettingsFile['level'], variables: object) => file(level, { env: variables })

test('of several files the one that counts most says which login, each with its line', () => {
  const said = loginIn([
    env('user', { ANTHROPIC_API_KEY: 'a', HTTP_PROXY: 'p' }),
    file('project', { apiKeyHelper: './key.sh', env: { ANTHROPIC_API_KEY: 'b', PATH: '/bin' } }),
    env('local', { CLAUDE_CODE_USE_BEDROCK: 1 }),
  ])
  expect(Object.fromEntries(said)).toMatchObject({
    ANTHROPIC_API_KEY: { value: 'b', path: '/p/project.json', line: 4, level: 'project' },
    HTTP_PROXY: { path: '/p/user.json', line: 4 },
    apiKeyHelper: { value: './key.sh', line: 2 },
    CLAUDE_CODE_USE_BEDROCK: { value: '1', level: 'local' },
  })
  expect(said.has('PATH')).toBe(false)
})

test('what is no JSON, or has no variables, says nothing', () => {
  for (const text of ['', '{', '[]', '{"env": []}', '{"env": {"ANTHROPIC_API_KEY": {}}}'])
    expect(loginIn([file('project', text)]).size).toBe(0)
  expect(loginIn([file('project', '\uFEFF{"env": {"ANTHROPIC_API_KEY": "a"}}')]).size).toBe(1)
})

test('models and headers are handed over, and nothing with which a message has another login or address', () => {
  const models = { ANTHROPIC_MODEL: 'm', ANTHROPIC_DEFAULT_OPUS_MODEL: 'o', CLAUDE_CODE_SUBAGENT_MODEL: 's' }
  const headers = 'X-Team: a\nauthorization : Bearer x\n x-api-key: k'
  const all = env('project', {
    ...models,
    ANTHROPIC_CUSTOM_HEADERS: headers,
    ANTHROPIC_BASE_URL: 'u',
    HTTPS_PROXY: 'p',
    ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION: 'r',
    MAX_THINKING_TOKENS: '1',
  })
  expect(handedOver([all])).toEqual({ ...models, ANTHROPIC_CUSTOM_HEADERS: 'X-Team: a' })
  expect(handedOver([env('user', { ANTHROPIC_MODEL: 'm' }), env('local', { ANTHROPIC_MODEL: '' })])).toEqual({})
})

test('a socket, and headers that are a login, take the login in older builds', () => {
  const names = (variables: object) =>
    loginTakers([env('project', variables)], isFollowedByOlder).map(({ name }) => name)
  expect(names({ ANTHROPIC_UNIX_SOCKET: '/s' })).toEqual(['ANTHROPIC_UNIX_SOCKET'])
  expect(names({ ANTHROPIC_CUSTOM_HEADERS: 'a: b\nX-API-Key: k' })).toEqual(['ANTHROPIC_CUSTOM_HEADERS'])
  expect(names({ ANTHROPIC_CUSTOM_HEADERS: 'a: b', ANTHROPIC_BASE_URL: 'u' })).toEqual([])
})

test('each variable of the login has a value, and none that would be read by others is on a command line', () => {
  const values = loginValues((name) => ({ HTTPS_PROXY: 'http://a:b@proxy', CLAUDE_CODE_OAUTH_TOKEN: 't' })[name])
  expect(values).toMatchObject({ CLAUDE_CODE_OAUTH_TOKEN: 't', ANTHROPIC_UNIX_SOCKET: '', npm_config_https_proxy: '' })
  expect(values).toHaveProperty('ANTHROPIC_BASE_URL', 'https://api.anthropic.com')
  expect(values).not.toHaveProperty('apiKeyHelper')
  const confidential = Object.entries(values).filter(([name, value]) => isConfidential(name, value))
  expect(confidential.map(([name]) => name)).toEqual(['CLAUDE_CODE_OAUTH_TOKEN', 'HTTPS_PROXY'])
})
