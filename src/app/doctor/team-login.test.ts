import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/temporary-home.ts'
import { checkContextOf } from './check-context.ts'
import { login } from './login.ts'
import { managedLogin } from './team-login.ts'

/** The doctor's findings about logins for this config.yaml, with `/r` for the user's home. */
async function said(yaml: string, files: Readonly<Record<string, string>> = {}, env = {}) {
  await using disk = await temporaryHome()
  for (const [file, text] of Object.entries(files)) await disk.write(file, text)
  await disk.write('iris/config.yaml', yaml)
  const context = await checkContextOf({
    home: disk.home,
    env: { HOME: disk.root, PATH: '', ...env },
    daemon: undefined,
  })
  return JSON.parse(JSON.stringify(await login(context)).replaceAll(disk.root, '/r'))
}

const teams = (more = '', ofBackend = '') =>
  `${more}teams:\n  backend: { path: ~/projects/backend${ofBackend} }\n  frontend: { path: ~/projects/frontend }\n`
const token = 'settings: { account: { tokenFile: ~/work.token } }\n'
const project = 'projects/backend/.claude/settings.json'
const env = (variables: object) => JSON.stringify({ env: variables }, null, 2)

test('each login is shown once, with the place that it comes from and the address that it goes to', async () => {
  const ofProcess = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://me:secret@gateway:8080/v1' }
  const ofTeam = ', env: { ANTHROPIC_AUTH_TOKEN: t }'
  expect(await said(teams('', ofTeam), {}, ofProcess)).toEqual([
    {
      check: 'login',
      state: 'ok',
      detail:
        'by ANTHROPIC_AUTH_TOKEN in env of the team in config.yaml, at gateway:8080 (ANTHROPIC_BASE_URL of the environment) (backend)',
    },
    {
      check: 'login',
      state: 'ok',
      detail:
        'by ANTHROPIC_API_KEY of the environment, at gateway:8080 (ANTHROPIC_BASE_URL of the environment) (frontend)',
    },
  ])
})

test('a login in env of the team is shown as not used where another one counts more', async () => {
  const ofTeam = teams('', ', env: { CLAUDE_CODE_OAUTH_TOKEN: t }')
  const detail = (by: string) =>
    `by ${by}: it takes precedence over CLAUDE_CODE_OAUTH_TOKEN in the team's env, which is not used (backend)`
  expect((await said(ofTeam, {}, { ANTHROPIC_API_KEY: 'k' }))[0]).toMatchObject({
    state: 'warn',
    detail: detail('ANTHROPIC_API_KEY of the environment'),
    remedy: 'Set ANTHROPIC_API_KEY: "" in env of the team, or remove CLAUDE_CODE_OAUTH_TOKEN there.',
  })
  const file = { [project]: env({ ANTHROPIC_AUTH_TOKEN: 'theirs' }) }
  expect((await said(ofTeam, file))[0]).toMatchObject({
    state: 'warn',
    detail: detail('ANTHROPIC_AUTH_TOKEN in /r/projects/backend/.claude/settings.json, line 3'),
    remedy: expect.stringContaining('Give the team an account in config.yaml'),
  })
  const set = teams('', ', env: { CLAUDE_CODE_OAUTH_TOKEN: t, ANTHROPIC_API_KEY: "" }')
  expect((await said(set, {}, { ANTHROPIC_API_KEY: 'k' }))[0]).toMatchObject({ state: 'ok' })
})

test('a working token file is a login, and nobody needs to log in', async () => {
  expect(await said(teams(token), { 'work.token': 't' })).toEqual([
    { check: 'login', state: 'ok', detail: 'by the token in /r/work.token (account of config.yaml)' },
  ])
  expect(await said(token, { 'work.token': 't' })).toMatchObject([{ state: 'ok' }])
  expect(await said(teams(token))).toMatchObject([
    {
      state: 'fail',
      detail: expect.stringContaining('token file not found'),
      remedy: expect.stringContaining('into /r/work.token'),
    },
  ])
})

test('what a project says of login and address does not count for an account, and otherwise it does', async () => {
  const files = { 'work.token': 't', [project]: env({ ANTHROPIC_BASE_URL: 'http://elsewhere' }) }
  const place = 'ANTHROPIC_BASE_URL in /r/projects/backend/.claude/settings.json, line 3'
  const found = await said(teams(token), files)
  expect(found.map(({ state, detail }: { state: string; detail: string }) => `${state} ${detail}`)).toEqual([
    `ok by the token in /r/work.token (account of config.yaml); not used: ${place} (backend)`,
    'ok by the token in /r/work.token (account of config.yaml) (frontend)',
  ])
  const [backend] = await said(teams(), files, { ANTHROPIC_API_KEY: 'k' })
  expect(backend).toMatchObject({
    state: 'warn',
    detail: `by ANTHROPIC_API_KEY of the environment, at elsewhere (${place}): a file of the project chooses where your login goes (backend)`,
    remedy: expect.stringContaining('an account in config.yaml'),
  })
})

test('a proxy of your own settings, which does not count for an account, is shown with its place in config.yaml', async () => {
  const files = { 'work.token': 't', '.claude/settings.json': env({ HTTPS_PROXY: 'http://proxy' }) }
  expect(await said(teams(token), files)).toMatchObject([
    { state: 'warn', remedy: expect.stringContaining('set HTTPS_PROXY under settings.env') },
  ])
})

test('an account that is a directory has the login in its files', async () => {
  const account = 'settings: { account: { configDirectory: ~/.claude-work } }\n'
  expect(await said(teams(account))).toMatchObject([
    { state: 'warn', remedy: 'CLAUDE_CONFIG_DIR=/r/.claude-work claude (then /login)' },
  ])
  const credentials = JSON.stringify({ claudeAiOauth: { accessToken: 'a', refreshToken: 'r' } })
  expect(await said(teams(account), { '.claude-work/.credentials.json': credentials })).toMatchObject([
    { state: 'ok', detail: 'logged in (/r/.claude-work) (account of config.yaml)' },
  ])
})

test('managed settings are named, and what they say of the login', () => {
  const managed = (settings: object) =>
    managedLogin([{ level: 'managed', path: '/etc/m.json', text: JSON.stringify(settings, null, 2) }])
  expect(managedLogin([])).toBeUndefined()
  expect(managed({ cleanupPeriodDays: 1 })).toMatchObject({
    state: 'ok',
    detail: expect.stringContaining('/etc/m.json'),
  })
  expect(managed({ apiKeyHelper: './x' })).toMatchObject({
    state: 'warn',
    detail: 'managed settings take precedence over config.yaml: apiKeyHelper in /etc/m.json, line 2',
  })
})
