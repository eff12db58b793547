import { describe, expect, test } from 'vitest'
import { type MistakeRows, mistake, temporaryHome } from '../../../test/support/temporary-home.ts'

const teamKeys =
  'path, project, remote, remoteOptions, enableReverseMcp, linkGrace, description, idleTimeout, backgroundTimeout, grantPermission, dangerous, color, claudePath, model, allowedTools, disallowedTools, appendSystemPrompt, mcpServers, env, account, onInterrupted, live, askedBy, hosts, accepts, returns, permissions, forwardTo, isolation, sessionMcpEnabled, sessionMcpPath'

describe('keys that Iris does not know', () => {
  const unknown = 'is not a key that Iris knows here'
  test.for<[text: string, place: string, ...MistakeRows]>([
    [
      'team:\n  a: {}',
      '1:1',
      'team',
      'a mapping',
      unknown,
      'settings, database, teams, roles, channels, callbacks, triggers, insight, cluster',
      'Did you mean teams?',
    ],
    [
      'httpPort: 80',
      '1:1',
      'httpPort',
      '80',
      unknown,
      'settings, database, teams, roles, channels, callbacks, triggers, insight, cluster',
      'It belongs under settings.',
    ],
    ['database: { inMemory: true }', '1:13', 'database.inMemory', 'true', unknown, 'path', 'Remove the line.'],
    ['database: { pth: x }', '1:13', 'database.pth', '(hidden)', unknown, 'path', 'Did you mean path?'],
    [
      '{ "odd\\e[31m key": 1 }',
      '1:3',
      '"odd\\u001b[31m key"',
      '1',
      unknown,
      'settings, database, teams, roles, channels, callbacks, triggers, insight, cluster',
      'Remove the line.',
    ],
    ['__proto__: { a: 1 }', '1:1', '__proto__', null, 'is a reserved name', null, 'Choose another name.'],
    [
      'constructor: 1',
      '1:1',
      'constructor',
      '1',
      unknown,
      'settings, database, teams, roles, channels, callbacks, triggers, insight, cluster',
      'Remove the line.',
    ],
  ])('%j', async ([yaml, place, ...rows]) => {
    await using disk = await temporaryHome()
    expect(await disk.mistakes(yaml)).toBe(mistake(place, ...rows))
  })

  test.for([
    ['apiKey: sk-secret', 'apiKey', '(hidden)', 'Remove the line.'],
    ['grantPermisions: ask', 'grantPermisions', '(hidden)', 'Did you mean grantPermission?'],
    ['IDLETIMEOUT: 5', 'IDLETIMEOUT', '5', 'Did you mean idleTimeout?'],
    ['responseTimeout: 5', 'responseTimeout', '5', 'It belongs under settings.'],
  ] as const)('in a team: %s', async ([line, key, value, remedy]) => {
    await using disk = await temporaryHome()
    expect(await disk.mistakes(`teams:\n  a:\n    path: ~/projects/backend\n    ${line}`)).toBe(
      mistake('4:5', `teams.a.${key}`, value, unknown, teamKeys, remedy),
    )
  })
})

describe('names of teams', () => {
  const form = 'a team name is 1 to 100 letters, digits or . _ @ - and starts with a letter or digit'
  const wrong = 'is not a name that a team can have'
  const js = 'is a reserved name: every JavaScript object has a property with this name'
  test.for([
    ['constructor', 'constructor', js, null],
    ['toString', 'toString', js, null],
    ['prototype', 'prototype', js, null],
    ['external', 'external', 'is a reserved name: Iris uses it for a person or program outside every team', null],
    ['you', 'you', 'is a reserved name: Iris uses it for a person who asks from no team', null],
    ['__proto__', '__proto__', 'is a reserved name', null],
    ['"__proto__"', '__proto__', 'is a reserved name', null],
    ['"a->b"', '"a->b"', wrong, form],
    ['../up', '"../up"', wrong, form],
    ['-x', '-x', wrong, form],
    ['"a\\u202eb"', '"a\\u{202e}b"', wrong, form],
    ['discord:1', '"discord:1"', wrong, form],
  ] as const)('%s is refused', async ([written, shown, problem, allowed]) => {
    await using disk = await temporaryHome()
    expect(await disk.mistakes(`teams:\n  ${written}:\n    path: ~/projects/backend`)).toBe(
      mistake('2:3', `teams.${shown}`, null, problem, allowed, 'Choose another name.'),
    )
  })
})

describe('keys that go only together', () => {
  test.for<[text: string, place: string, ...MistakeRows]>([
    [
      '{}',
      '2:3',
      'teams.a.path',
      null,
      'is missing',
      'an absolute path, or one that begins with ~/',
      'Add the directory of the project, for example path: ~/projects/a',
    ],
    [
      '{ path: ~/projects/backend, project: ~/projects/frontend }',
      '2:34',
      'teams.a.project',
      '"~/projects/frontend"',
      'differs from path, and project is the older name of path',
      null,
      'Keep path, with the right directory, and remove project.',
    ],
  ])('%s', async ([team, place, ...rows]) => {
    await using disk = await temporaryHome()
    expect(await disk.mistakes(`teams:\n  a: ${team}`)).toBe(mistake(place, ...rows))
  })

  test.for(['yes', 'true', 'yes, dangerous: false'])('grantPermission: %s', async (written) => {
    await using disk = await temporaryHome()
    expect(await disk.mistakes(`teams:\n  a: { path: ~/projects/backend, grantPermission: ${written} }`)).toBe(
      mistake(
        '2:34',
        'teams.a.grantPermission',
        written.startsWith('yes') ? '"yes"' : 'true',
        'lets this team use every tool without asking, and nothing confirms that you intend this',
        'yes only together with dangerous: true; no, ask or forward without it',
        'Add "dangerous: true" beside it if you mean it. Otherwise use "grantPermission: ask".',
      ),
    )
  })
})

describe('skipPermissions', () => {
  const words = 'is an older key, which grantPermission replaces'
  test.for([
    [
      'true',
      'true',
      'If this team may really do everything without asking, replace the line with these two:\n    grantPermission: yes\n    dangerous: true',
    ],
    ['false', 'false', 'Remove the line.'],
    ['true, grantPermission: no', 'true', 'Remove the line: this team also has grantPermission, which decides.'],
  ] as const)('%s', async ([written, value, remedy]) => {
    await using disk = await temporaryHome()
    expect(await disk.mistakes(`teams:\n  a: { path: ~/projects/backend, skipPermissions: ${written} }`)).toBe(
      mistake('2:34', 'teams.a.skipPermissions', value, words, null, remedy),
    )
  })
})
