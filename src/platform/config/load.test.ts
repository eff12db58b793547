import { symlink } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/temporary-home.ts'
import { Settings } from './schema.ts'

// docs/guide/configure.md names each of them, and guide.test.ts compares the two.
const defaults = Settings.parse({})

const chatTools = ['reply', 'react', 'history', 'file']

test('without a file there are the defaults and no teams', async () => {
  await using disk = await temporaryHome()
  expect(await disk.load()).toEqual({
    home: disk.home,
    file: `${disk.home}/config.yaml`,
    settings: defaults,
    database: { path: `${disk.home}/data/team-sessions.db` },
    teams: new Map(),
    formerTeams: new Map(),
    unusable: [],
    roles: new Map<string, unknown>([
      ['os_agent', { name: 'os_agent', tools: 'all', permission: 'team', chatTools }],
      ['chat_bot', { name: 'chat_bot', tools: ['Read', 'Grep', 'Glob'], permission: 'no', chatTools }],
    ]),
    channels: new Map(),
    callbacks: new Map(),
    triggers: new Map(),
    insight: {
      patterns: true,
      drift: true,
      collisions: true,
      onCollision: 'tell',
      warmAhead: false,
      loadBalancing: false,
      healing: true,
      reflection: true,
      reflectWeekly: false,
      traceHeaders: {},
      claudeTelemetry: false,
    },
  })
})

describe('a file without teams is a start, not a mistake', () => {
  for (const yaml of ['', '# nothing yet', '---', 'teams:', 'teams:\n  # none yet\nsettings:\n', 'teams: {}']) {
    test(`such as ${JSON.stringify(yaml)}`, async () => {
      await using disk = await temporaryHome()
      const { settings, teams } = await disk.load(yaml)
      expect({ settings, teams }).toEqual({ settings: defaults, teams: new Map() })
    })
  }
})

test.each(['config.yaml', './token', 'data/../data/lock.db', 'daemon.json', 'data/search.db', 'data/transcripts'])(
  'the store cannot take the place of %s',
  async (path) => {
    await using disk = await temporaryHome()
    expect(await disk.mistakes(`database:\n  path: ${path}`)).toContain(`/r/iris/config.yaml:2:3
  Key:     database.path
  Value:   "${path}"
  Problem: is a file that Iris keeps for something else`)
    await disk.load('database:\n  path: data/team-sessions.db')
  },
)

test('a team needs no more than a path', async () => {
  await using disk = await temporaryHome()
  const { teams } = await disk.load('teams:\n  backend:\n    path: ~/projects/backend\n')
  const path = `${disk.root}/projects/backend`
  const team = {
    name: 'backend',
    path,
    realPath: path,
    grantPermission: 'ask',
    dangerous: false,
    live: 'no',
    mcpServers: 'iris',
    env: {},
  }
  expect([...teams]).toEqual([['backend', team]])
})

test('every key of a file is taken', async () => {
  await using disk = await temporaryHome()
  await symlink('backend', `${disk.root}/projects/link`)
  const config = await disk.load(`
settings:
  defaultTimeout: -1
  httpPort: 0
  logLevel: debug
  onInterrupted: report
  claudePath: ~/bin/claude
  env: { LANG: C.UTF-8, PORT: 8080, DEBUG: true, HEX: 0x1F }
  allowedRoots: [ ~/projects ]
  permissionTimeout: 5000
  forwardTo: { url: "http://127.0.0.1:9/hook", secret: 0123456789abcdef0123456789abcdef }
  isolation: none
  sessionMcpEnabled: true
  sessionMcpPath: mcp
  callsPerMinute: 60
  startsPerMinute: 6
  budget: { turns: 5, tokens: 10000, cost: 0.5, time: 60000 }
database:
  path: elsewhere.db
teams:
  front.end@work-1:
    path: ${disk.root}/projects//link/
    description: Answers for the API
    idleTimeout: 60000
    grantPermission: yes
    dangerous: true
    color: "#F6a"
    claudePath: claude-next
    model: opus
    allowedTools: Read, Bash(git add a,b), , Edit
    disallowedTools: [ WebFetch ]
    appendSystemPrompt: |
      Be brief.
      Name files.
    mcpServers: project
    env: { TOKEN: "" }
    onInterrupted: continue
`)
  expect(config.settings).toEqual({
    ...defaults,
    defaultTimeout: -1,
    httpPort: 0,
    logLevel: 'debug',
    onInterrupted: 'report',
    claudePath: `${disk.root}/bin/claude`,
    env: { LANG: 'C.UTF-8', PORT: '8080', DEBUG: 'true', HEX: '0x1F' },
    allowedRoots: [`${disk.root}/projects`],
    permissionTimeout: 5000,
    forwardTo: { url: 'http://127.0.0.1:9/hook', format: 'json', secret: '0123456789abcdef0123456789abcdef' },
    isolation: 'none',
    sessionMcpEnabled: true,
    sessionMcpPath: 'mcp',
    callsPerMinute: 60,
    startsPerMinute: 6,
    budget: { turns: 5, tokens: 10_000, cost: 0.5, time: 60_000 },
  })
  expect(config.database).toEqual({ path: `${disk.home}/elsewhere.db` })
  expect(config.teams.get('front.end@work-1')).toEqual({
    name: 'front.end@work-1',
    path: `${disk.root}/projects//link/`,
    realPath: `${disk.root}/projects/backend`,
    description: 'Answers for the API',
    idleTimeout: 60_000,
    grantPermission: 'yes',
    dangerous: true,
    color: '#F6a',
    claudePath: 'claude-next',
    model: 'opus',
    allowedTools: ['Read', 'Bash(git add a,b)', 'Edit'],
    disallowedTools: ['WebFetch'],
    appendSystemPrompt: 'Be brief.\nName files.\n',
    mcpServers: 'project',
    env: { TOKEN: '' },
    onInterrupted: 'continue',
    live: 'no',
  })
})

describe('grantPermission takes what people and YAML make of yes and no', () => {
  for (const [written, taken] of Object.entries({ yes: 'yes', true: 'yes', '"yes"': 'yes', no: 'no', false: 'no' })) {
    test(`${written} is ${taken}`, async () => {
      await using disk = await temporaryHome()
      const team = `{ path: ~/projects/backend, dangerous: true, grantPermission: ${written} }`
      expect((await disk.load(`teams: { a: ${team} }`)).teams.get('a')?.grantPermission).toBe(taken)
    })
  }

  test('and so it does where the file asks for YAML 1.1, in which yes is a boolean', async () => {
    await using disk = await temporaryHome()
    const yaml = '%YAML 1.1\n---\nteams: { a: { path: ~/projects/backend, dangerous: yes, grantPermission: yes } }'
    expect((await disk.load(yaml)).teams.get('a')?.grantPermission).toBe('yes')
  })
})

test('project is an older name of path, and both may stand if they agree', async () => {
  await using disk = await temporaryHome()
  const { teams } = await disk.load(`teams:
  a: { project: ~/projects/backend }
  b: { project: ~/projects/frontend, path: ~/projects/frontend }`)
  expect([...teams.values()].map(({ path }) => path.replace(disk.root, ''))).toEqual([
    '/projects/backend',
    '/projects/frontend',
  ])
})

test('a variable without quotes has the type of its text, one in quotes is text', async () => {
  await using disk = await temporaryHome()
  const yaml = `settings:
  httpPort: \${PORT:-1700}
  maxProcesses: \${PROCESSES}
  env:
    DIGITS: \${DIGITS}
    MIXED: "\${PROCESSES}/\${PORT:-none}"
teams:
  a:
    path: \${WHERE}/backend
    description: "\${PROCESSES}"
    dangerous: \${DANGEROUS:-true}
    grantPermission: \${GRANT:-yes}`
  const { settings, teams } = await disk.load(yaml, {
    PROCESSES: '3',
    DIGITS: '0123',
    WHERE: `${disk.root}/projects`,
  })
  expect(settings).toMatchObject({ httpPort: 1700, maxProcesses: 3, env: { DIGITS: '0123', MIXED: '3/none' } })
  expect(teams.get('a')).toMatchObject({
    realPath: `${disk.root}/projects/backend`,
    description: '3',
    dangerous: true,
    grantPermission: 'yes',
  })
})

test('an anchor may be used again', async () => {
  await using disk = await temporaryHome()
  const { teams } = await disk.load(`teams:
  a: { path: ~/projects/backend, env: &shared { LANG: C } }
  b: { path: ~/projects/frontend, env: *shared }`)
  expect(teams.get('b')?.env).toEqual({ LANG: 'C' })
})

test('a merge key is one mistake, and not a missing path besides', async () => {
  await using disk = await temporaryHome()
  const yaml = `teams:
  a: &base { path: ~/projects/backend, model: opus }
  b:
    <<: *base
    description: the same project`
  const error = await disk.load(yaml).catch((caught: unknown) => caught)
  expect(error).toMatchObject({
    problems: [{ line: 4, key: 'teams.b."<<"', problem: 'YAML merge keys are not supported' }],
  })
})

test('nothing of a configuration can be changed', async () => {
  await using disk = await temporaryHome()
  const config = await disk.load(
    'settings: { allowedRoots: [~/projects] }\nteams: { a: { path: ~/projects/backend, allowedTools: [Read] } }',
  )
  const { settings, database, teams } = config
  const team = teams.get('a')!
  const parts = [
    config,
    settings,
    settings.env,
    settings.allowedRoots,
    database,
    team,
    team.env,
    team.allowedTools,
    teams,
  ]
  expect(parts.map((part) => Object.isFrozen(part))).toEqual(parts.map(() => true))
  expect(() => (teams as Map<string, unknown>).set('b', team)).toThrow('this map is read only')
  expect(() => (teams as Map<string, unknown>).delete('a')).toThrow('this map is read only')
  expect(() => (teams as Map<string, unknown>).clear()).toThrow('this map is read only')
})

test('a name that every object has is no team', async () => {
  await using disk = await temporaryHome()
  const { teams } = await disk.load('')
  expect([teams.get('constructor'), teams.get('__proto__'), teams.get('toString')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
