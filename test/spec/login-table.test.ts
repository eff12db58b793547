import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask } from '../support/call-tool.ts'
import { type ForeignListener, startForeignListener } from '../support/foreign-listener.ts'
import { TestIris } from '../support/iris.ts'
import { type ClaudeVersion, claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { isBrief } from '../support/tier.ts'

const token = 'sk-ant-oat01-account'
const theirs = 'sk-ant-oat01-theirs'
let foreign: ForeignListener
/** Another address that the person chose. */
let gateway: ForeignListener
let iris: TestIris

/** Says with which login it was asked, for which model, and with which header of people's own. */
const script: Script = ({ headers, body }) => ({
  text: [headers.authorization ?? headers['x-api-key'], body.model, headers['x-own'] ?? 'none'].join(' | '),
})

type Settings = Readonly<Record<string, unknown>>
/** What a settings file of Claude Code says, of the project unless `level` says whose. */
interface Row {
  readonly level?: 'local' | 'user' | undefined
  readonly settings: () => Settings
  /** The key for which the older Claude Code is refused, which follows it anyway. */
  readonly refused?: string
}

const env = (variables: Settings): Settings => ({ env: variables })
const proxies = () =>
  Object.fromEntries(['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, foreign.url]))
const bedrock = () => ({
  CLAUDE_CODE_USE_BEDROCK: '1',
  ANTHROPIC_BEDROCK_BASE_URL: foreign.url,
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'theirs',
  AWS_SECRET_ACCESS_KEY: 'theirs',
})
const logins = { ANTHROPIC_API_KEY: theirs, ANTHROPIC_AUTH_TOKEN: theirs, CLAUDE_CODE_OAUTH_TOKEN: theirs }
const helper = { apiKeyHelper: `echo ${theirs}` }
const all = (): Settings => ({
  ...helper,
  env: { ...logins, ...bedrock(), ...proxies(), NO_PROXY: '', no_proxy: '', ANTHROPIC_BASE_URL: foreign.url },
})
const rows: Readonly<Record<string, Row>> = {
  'another address': { settings: () => env({ ANTHROPIC_BASE_URL: foreign.url }) },
  'a key': { settings: () => env({ ANTHROPIC_API_KEY: theirs }) },
  'a bearer token': { settings: () => env({ ANTHROPIC_AUTH_TOKEN: theirs }) },
  'another token': { settings: () => env({ CLAUDE_CODE_OAUTH_TOKEN: theirs }) },
  'another service': { settings: () => env(bedrock()) },
  'a proxy': { settings: () => env({ ...proxies(), NO_PROXY: '', no_proxy: '' }) },
  'a helper': { settings: () => helper },
  'no variable of Iris': {
    settings: () => env({ CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST: '', ANTHROPIC_BASE_URL: foreign.url }),
  },
  'all of that, in local settings': { level: 'local', settings: all },
  'all of that, in settings of the user': { level: 'user', settings: all },
  'a socket': { settings: () => env({ ANTHROPIC_UNIX_SOCKET: foreign.socket }), refused: 'ANTHROPIC_UNIX_SOCKET' },
  'a socket, in settings of the user': {
    level: 'user',
    refused: 'ANTHROPIC_UNIX_SOCKET',
    settings: () => env({ ANTHROPIC_UNIX_SOCKET: foreign.socket }),
  },
  'a header that is a login': {
    settings: () => env({ ANTHROPIC_CUSTOM_HEADERS: `Authorization: Bearer ${theirs}` }),
    refused: 'ANTHROPIC_CUSTOM_HEADERS',
  },
}
const thatOfAll = 'all of that, in local settings'
/** A start of Claude Code each. Most say one thing of what `thatOfAll` says at once. */
const asked = isBrief
  ? ['no variable of Iris', 'all of that, in settings of the user', 'a header that is a login']
  : Object.keys(rows).filter((row) => row !== thatOfAll)
/** What people may choose for their project. */
const kept = env({ ANTHROPIC_MODEL: 'claude-haiku-4-5', ANTHROPIC_CUSTOM_HEADERS: 'X-Own: theirs' })

const teamOf = (row: string, version: ClaudeVersion): string => `${row}-${version}`.replaceAll(/[^a-z0-9]+/g, '-')
/** Where the settings of a row are. */
const fileOf = (team: string, { level }: Pick<Row, 'level'>): string =>
  level === 'user'
    ? join(iris.world.root, `home-${team}`, '.claude/settings.json')
    : join(iris.world.directory(team), level === 'local' ? '.claude/settings.local.json' : '.claude/settings.json')

const write = (file: string, settings: Settings): void => {
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, JSON.stringify(settings, null, 2))
}

beforeAll(async () => {
  const levels = Object.entries(rows).map(([row, { level }]) => [row, level] as const)
  const others = ['kept', 'later', 'gateway'].map((row) => [row, undefined] as const)
  const teams = [...levels, ...others].flatMap(([row, level]) =>
    claudeVersions.map((version) => ({ team: teamOf(row, version), row, level, version })),
  )
  iris = await TestIris.start({ script, teams: teams.map(({ team }) => team) })
  foreign = await startForeignListener(join(iris.world.root, 'foreign'))
  gateway = await startForeignListener(join(iris.world.root, 'gateway'))
  const tokenFile = join(iris.world.root, 'work.token')
  writeFileSync(tokenFile, token, { mode: 0o600 })
  for (const { team, row, level } of teams) {
    const settings = row === 'kept' ? kept : rows[row]?.settings()
    if (settings) write(fileOf(team, { level }), settings)
  }
  const config = teams.map(({ team, row, level, version }) => {
    const home = level === 'user' ? { HOME: join(iris.world.root, `home-${team}`) } : {}
    const address = row === 'gateway' ? { ANTHROPIC_BASE_URL: gateway.url } : {}
    return [team, { claudePath: claudeBinary(version), account: { tokenFile }, env: { ...home, ...address } }] as const
  })
  const reloaded = iris.event('config-reloaded')
  iris.world.writeConfig({ teams: Object.fromEntries(config) })
  await reloaded
})
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  await foreign[Symbol.asyncDispose]()
  await gateway[Symbol.asyncDispose]()
})

const own = expect.stringMatching(new RegExp(`^Bearer ${token} `))

describe.each(claudeVersions)('a team with an account, with Claude Code %s', (version) => {
  const isOlder = version === '2.1.197'
  const wanted = (file: string, refused: string | undefined) =>
    isOlder && refused !== undefined
      ? { reason: 'account_unusable', detail: expect.stringContaining(`${file}, line 3, sets ${refused}`) }
      : { response: own }

  test.each(asked)('asks with its own login whatever a settings file says: %s', { tags: ['thorough'] }, async (row) => {
    const [team, its] = [teamOf(row, version), rows[row]!]
    expect(await ask(iris, team, 'who?')).toMatchObject(wanted(fileOf(team, its), its.refused))
    expect(foreign.seen).toEqual([])
  })

  test('asks with its own login when settings of its project name every other login, address and proxy', async () => {
    expect(await ask(iris, teamOf(thatOfAll, version), 'who?')).toMatchObject({ response: own })
    expect(foreign.seen).toEqual([])
  })

  test('keeps the model and the headers that people choose in settings of their project', async () => {
    const { response } = await ask(iris, teamOf('kept', version), 'how?')
    expect(response).toMatch(new RegExp(`^Bearer ${token} \\| claude-haiku-\\S+ \\| theirs$`))
  })

  test('has its own login too when such a file is written while its process lives', async () => {
    const team = teamOf('later', version)
    expect(await ask(iris, team, 'first')).toMatchObject({ response: own })
    const file = fileOf(team, {})
    write(file, env({ ANTHROPIC_UNIX_SOCKET: foreign.socket }))
    expect(await ask(iris, team, 'second')).toMatchObject(wanted(file, 'ANTHROPIC_UNIX_SOCKET'))
    expect(foreign.seen).toEqual([])
  })

  test('goes on when the same token is refused at the address of another team', { tags: ['thorough'] }, async () => {
    expect(await ask(iris, teamOf('kept', version), 'before')).toMatchObject({ response: own })
    expect(await ask(iris, teamOf('gateway', version), 'who?')).toMatchObject({
      status: 'failed',
      reason: 'api_auth',
      detail: expect.stringMatching(/Write a new token, .* into .*work\.token\.$/),
    })
    expect(gateway.seen.join()).toContain(token)
    expect(await ask(iris, teamOf('kept', version), 'after')).toMatchObject({ status: 'completed', response: own })
  })
})
