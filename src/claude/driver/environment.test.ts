import { describe, expect, test } from 'vitest'
import { configDirectory, processEnvironment } from './environment.ts'

const here = '127.0.0.1,localhost,::1'
const always = {
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
  CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1',
  CLAUDE_CODE_SIMPLE: '0',
  CLAUDE_CODE_USE_POWERSHELL_TOOL: '0',
  NO_PROXY: here,
  no_proxy: here,
}
const inProject = { CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: '1' }
const attachmentsOff = { CLAUDE_CODE_DISABLE_ATTACHMENTS: '1' }

function environment(daemon: Record<string, string | undefined>, layers: object = {}): Record<string, string> {
  return processEnvironment({ daemon, settings: {}, team: {}, version: '2.1.330', ...layers })
}

describe('of the daemon’s environment a process gets', () => {
  test.each([
    'HOME',
    'PATH',
    'LANG',
    'LC_ALL',
    'TZ',
    'TMPDIR',
    'SSH_AUTH_SOCK',
    'HTTPS_PROXY',
    'http_proxy',
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_BASE_URL',
    'CLAUDE_CONFIG_DIR',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CODE_USE_BEDROCK',
    'CLAUDE_CODE_MAX_RETRIES',
    'AWS_PROFILE',
    'DISABLE_AUTOUPDATER',
    'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
    // Needed by the person's Claude Code to log in behind a gateway, and to a server that requires a certificate.
    'CLAUDE_CODE_SKIP_FOUNDRY_AUTH',
    'CLAUDE_CODE_SKIP_MANTLE_AUTH',
    'AZURE_TENANT_ID',
    'GOOGLE_CLOUD_PROJECT',
    'CLAUDE_CODE_CLIENT_CERT',
    'CLAUDE_CODE_CLIENT_KEY',
    'NODE_EXTRA_CA_CERTS',
    'NODE_TLS_REJECT_UNAUTHORIZED',
  ])('%s', (name) => {
    expect(environment({ [name]: 'value' })).toEqual({ [name]: 'value', ...always, ...inProject })
  })
})

describe('of the daemon’s environment a process does not get', () => {
  test.each([
    // If inherited from a console, these would make the process believe that it is part of that console's session.
    'CLAUDECODE',
    'CLAUDE_CODE_SESSION_ID',
    'CLAUDE_PROJECT_DIR',
    'CLAUDE_CODE_ENTRYPOINT',
    'CLAUDE_CODE_MESSAGING_SOCKET',
    'CLAUDE_CODE_MESSAGING_TOKEN',
    'CLAUDE_CODE_CHILD_SESSION',
    'CLAUDE_CODE_LAUNCHED_BY_X',
    'CLAUDE_CODE_RESUME_INTERRUPTED_TURN',
    // Secrets and settings of the person who started the daemon.
    'GITHUB_TOKEN',
    'NPM_TOKEN',
    'DISCORD_TOKEN',
    'NODE_OPTIONS',
    'LD_PRELOAD',
    'IRIS_HOME',
    'IRIS_PROCESS',
    'home',
    'MY_ANTHROPIC_API_KEY',
    'LCD',
    '',
  ])('%j', (name) => {
    expect(environment({ [name]: 'value' })).toEqual({ ...always, ...inProject })
  })
})

test('what is configured comes whole, and the team has the last word', () => {
  const settings = { GITHUB_TOKEN: 'shared', A: 'settings', PATH: '/settings' }
  const team = { A: 'team', PATH: '/team' }
  expect(environment({ PATH: '/daemon', HOME: '/home/x', A: 'daemon' }, { settings, team })).toEqual({
    PATH: '/team',
    HOME: '/home/x',
    GITHUB_TOKEN: 'shared',
    A: 'team',
    ...always,
    ...inProject,
  })
})

test('a proxy that is configured is the one that is used, in whichever letters the environment has another', () => {
  const shell = { https_proxy: 'http://shell', HTTP_PROXY: 'http://shell', no_proxy: 'intra.example' }
  const team = { HTTPS_PROXY: 'http://team', NO_PROXY: '' }
  const { https_proxy, HTTPS_PROXY, HTTP_PROXY, no_proxy } = environment(shell, { team })
  expect({ https_proxy, HTTPS_PROXY, HTTP_PROXY, no_proxy }).toEqual({
    https_proxy: undefined,
    HTTPS_PROXY: 'http://team',
    HTTP_PROXY: 'http://shell',
    no_proxy: here,
  })
  const both = { https_proxy: 'http://a', HTTPS_PROXY: 'http://b' }
  expect(environment({}, { team: both })).toMatchObject(both)
  expect(environment(shell, { settings: both, team: { https_proxy: 'http://c' } })).not.toHaveProperty('HTTPS_PROXY')
})

test('this machine is reached without a proxy, whatever else is', () => {
  const list = 'intra.example,127.0.0.1,*.corp,localhost,::1'
  const lists = { NO_PROXY: list, no_proxy: list }
  expect(environment({ NO_PROXY: 'intra.example, 127.0.0.1', no_proxy: '*.corp' })).toMatchObject(lists)
  expect(environment({ NO_PROXY: 'a' }, { team: { NO_PROXY: '' } })).toMatchObject({ NO_PROXY: here, no_proxy: here })
})

test('a variable that is not set is not an empty one', () => {
  expect(environment({ HOME: undefined })).toStrictEqual({ ...always, ...inProject })
})

test('no configuration turns file mentions on again', () => {
  const team = { CLAUDE_CODE_DISABLE_FILE_MENTIONS: '0' }
  expect(environment({}, { team })).toEqual({ ...always, ...inProject })
})

test('a team can let the shell of its agents stay where it goes', () => {
  const team = { CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: '' }
  expect(environment({}, { team })).toEqual({ ...always, ...team })
})

test.each([
  ['2.1.330', inProject],
  ['2.1.331', inProject],
  ['2.2.0', inProject],
  ['3.0.0', inProject],
  ['2.1.329', attachmentsOff],
  ['2.1.197', attachmentsOff],
  ['2.0.999', attachmentsOff],
  ['1.9.999', attachmentsOff],
  ['2.1', attachmentsOff],
  [undefined, attachmentsOff],
])('version %s inlines no file of a message, and begins each command in the project', (version, more) => {
  expect(environment({}, { version })).toEqual({ ...always, ...more })
})

test('Claude Code keeps its files where it is told, else in the home', () => {
  expect(configDirectory({ HOME: '/home/x', CLAUDE_CONFIG_DIR: '/elsewhere' })).toBe('/elsewhere')
  expect(configDirectory({ HOME: '/home/x' })).toBe('/home/x/.claude')
})
