import { describe, expect, test } from 'vitest'
import { type MistakeRows, mistake, temporaryHome } from '../../../test/support/temporary-home.ts'
import { Settings } from './schema.ts'

const ports = 'a port from 1 to 65535, or 0 for any free one'
const ms = 'a time such as 30s or 5m, or a whole number of milliseconds from 1 to 2147483647'

test('a whole message reads like this', async () => {
  await using disk = await temporaryHome()
  const yaml =
    'settings:\n  maxProceses: 5\nteams:\n  backend:\n    path: ~/projects/backend\n    grantPermission: maybe\n'
  const error = await disk.load(yaml).catch((caught: unknown) => caught)
  expect(error).toMatchObject({
    code: 'config_invalid',
    remedy: 'Correct the mistakes named above; "iris config validate" checks the file.',
  })
  expect((error as Error).message.replaceAll(disk.root, '/r')).toBe(`The configuration has 2 mistakes.

/r/iris/config.yaml:2:3
  Key:     settings.maxProceses
  Value:   5
  Problem: is not a key that Iris knows here
  Allowed: ${Object.keys(Settings.shape).join(', ')}
  Fix:     Did you mean maxProcesses?

/r/iris/config.yaml:6:5
  Key:     teams.backend.grantPermission
  Value:   "maybe"
  Problem: is not an allowed value
  Allowed: yes, no, ask or forward
  Fix:     Correct it, or remove the line: the default is ask.`)
})

test('a problem is also there as data', async () => {
  await using disk = await temporaryHome()
  const error = await disk.load('settings:\n  httpPort: 70000').catch((caught: unknown) => caught)
  expect(error).toMatchObject({
    problems: [
      {
        file: `${disk.home}/config.yaml`,
        line: 2,
        column: 3,
        key: 'settings.httpPort',
        value: '70000',
        problem: 'is too large',
        allowed: ports,
        remedy: 'Correct it, or remove the line: the default is 1615.',
      },
    ],
  })
})

describe('values', () => {
  const address = 'https:// with a host, such as https://iris.example.org, and nothing after it but a port'
  const correct = (fallback: number | string) => `Correct it, or remove the line: the default is ${fallback}.`
  const settings: [line: string, value: string | null, problem: string, allowed: string, remedy: string][] = [
    [
      'httpPort: "80"',
      '"80"',
      'is text where a number belongs',
      ports,
      'Write it without quotes, and without text around a variable.',
    ],
    ['httpPort: eighty', '"eighty"', 'is text where a number belongs', ports, correct(1615)],
    ['httpPort: -1', '-1', 'is too small', ports, correct(1615)],
    ['httpPort: [80]', 'a list', 'is a list where a number belongs', ports, correct(1615)],
    ...[
      'http://iris.example.org',
      'https://iris.example.org/iris',
      'https://me@iris.example.org',
      'iris.example.org',
    ].map(
      (url) =>
        [
          `publicUrl: ${url}`,
          `"${url}"`,
          'is not https:// followed by only a host',
          address,
          'Correct it, or remove the line.',
        ] as [string, string, string, string, string],
    ),
    ['idleTimeout: 0', '0', 'is too small', ms, correct(30000000)],
    ['idleTimeout: 2147483648', '2147483648', 'is too large', ms, correct(30000000)],
    ['idleTimeout: 99999999999999999999', '99999999999999999999', 'is too large', ms, correct(30000000)],
    ['idleTimeout: 1.5', '1.5', 'is not a whole number', ms, correct(30000000)],
    ['idleTimeout: .inf', '.inf', 'is not a whole number', ms, correct(30000000)],
    ['idleTimeout: true', 'true', 'is the word true where a number belongs', ms, correct(30000000)],
    ['idleTimeout:', null, 'has no value', ms, 'Write a value, or remove the line: the default is 30000000.'],
    [
      'defaultTimeout: -2',
      '-2',
      'is too small',
      '-1 (do not wait), 0 (wait until the end), a time such as 30s, or 1 to 3600000 milliseconds',
      correct(30000),
    ],
    ['logLevel: loud', '"loud"', 'is not an allowed value', 'debug, info, warn or error', correct('info')],
    ['onInterrupted: ask', '"ask"', 'is not an allowed value', 'continue or report', correct('continue')],
    [
      'claudePath: bin/claude',
      '"bin/claude"',
      'is a relative path',
      'an absolute path, a path that begins with ~/, or the bare name of a command on PATH',
      'Correct it, or remove the line.',
    ],
    [
      'allowedRoots: []',
      'a list',
      'is empty, so no team could have a directory',
      'a list of directories, each an absolute path or one that begins with ~/',
      'Correct it, or remove the line.',
    ],
    [
      'allowedRoots: # - ~/projects',
      null,
      'has no value',
      'a list of directories, each an absolute path or one that begins with ~/',
      'Write a value, or remove the line.',
    ],
  ]
  for (const [line, value, problem, allowed, remedy] of settings) {
    test(`settings: ${line}`, async () => {
      await using disk = await temporaryHome()
      const key = `settings.${line.split(':')[0]}`
      expect(await disk.mistakes(`settings:\n  ${line}`)).toBe(mistake('2:3', key, value, problem, allowed, remedy))
    })
  }

  const colours = 'a colour such as "#F69" or "#FF6B9D", in quotes: an unquoted # begins a comment'
  const tools = 'a list of tools or rules such as Read and Bash(git status *), or one text with commas between them'
  const team: [line: string, value: string | null, problem: string, allowed: string, remedy: string][] = [
    ['color: #FF6B9D', null, 'has no value', colours, 'Write a value, or remove the line.'],
    ['color: "#12"', '"#12"', 'is not a colour', colours, 'Correct it, or remove the line.'],
    ['description: 12', '12', 'is a number where text belongs', 'text', 'Put it in quotes.'],
    ['description: "a\\0b"', '"a\\u0000b"', 'contains a NUL character', 'text', 'Correct it, or remove the line.'],
    ['description: [a]', 'a list', 'is a list where text belongs', 'text', 'Correct it, or remove the line.'],
    [
      'dangerous: "true"',
      '"true"',
      'is text where true or false belongs',
      'true or false',
      'Write it without quotes, and without text around a variable.',
    ],
    ['allowedTools: 5', '5', 'is a number where a list belongs', tools, 'Correct it, or remove the line.'],
    [
      'model: --resume',
      '"--resume"',
      'begins with -, so it would be read as an option',
      'the name of a model as Claude Code takes it, such as opus',
      'Correct it, or remove the line.',
    ],
    ['mcpServers: all', '"all"', 'is not an allowed value', 'iris or project', correct('iris')],
    [
      'env: text',
      '(hidden)',
      'is text where a mapping belongs',
      'a mapping from names of environment variables to text',
      'Correct it, or remove the line.',
    ],
  ]
  for (const [line, value, problem, allowed, remedy] of team) {
    test(`team: ${line}`, async () => {
      await using disk = await temporaryHome()
      const key = `teams.a.${line.split(':')[0]}`
      expect(await disk.mistakes(`teams:\n  a:\n    path: ~/projects/backend\n    ${line}`)).toBe(
        mistake('4:5', key, value, problem, allowed, remedy),
      )
    })
  }

  test('an item of a list is named by its number', async () => {
    await using disk = await temporaryHome()
    const yaml = 'teams:\n  a:\n    path: ~/projects/backend\n    allowedTools:\n      - Read\n      - -x\n'
    expect(await disk.mistakes(yaml)).toBe(
      mistake(
        '6:9',
        'teams.a.allowedTools[1]',
        '"-x"',
        'begins with -, so it would be read as an option',
        tools,
        'Correct it, or remove the line.',
      ),
    )
  })

  const whole =
    'settings, database, teams, roles, channels, callbacks, triggers, insight and cluster, each with its keys below it'
  test.for<[text: string, place: string, ...MistakeRows]>([
    ['[a]', '1:1', null, 'a list', 'is a list where a mapping belongs', whole, 'Correct it.'],
    ['sk-secret', '1:1', null, '(hidden)', 'is text where a mapping belongs', whole, 'Correct it.'],
    [
      'teams: []',
      '1:1',
      'teams',
      'a list',
      'is a list where a mapping belongs',
      'a mapping from names of teams to their settings',
      'Correct it, or remove the line.',
    ],
    ['teams:\n  a:', '2:3', 'teams.a', null, 'has no value', 'a mapping with at least path', 'Correct it.'],
  ])('the file %j', async ([yaml, place, ...rows]) => {
    await using disk = await temporaryHome()
    expect(await disk.mistakes(yaml)).toBe(mistake(place, ...rows))
  })
})

test.for<[what: string, lines: string, problem: string]>([
  ['an address', 'servers: tls://10.0.0.5:4222', 'needs the name in the certificate of the server'],
  ['an address of version 6', 'servers: tls://[fd00::5]:4222', 'needs the name in the certificate of the server'],
  ['ca without tls://', 'servers: nats://studio:4222\n  ca: ca.pem', 'has ca, which is for servers with tls://'],
])('servers between hosts: %s', async ([, lines, problem]) => {
  await using disk = await temporaryHome()
  expect(await disk.mistakes(`cluster:\n  name: studio\n  ${lines}`)).toContain(problem)
})

test('every mistake is named at once, in the order of the lines', async () => {
  await using disk = await temporaryHome()
  const yaml = `setings: {}
settings:
  httpPort: \${PORT}
  idleTimeout: long
teams:
  a:
    path: projects/backend
    colour: red
  a: {}
  constructor:
    grantPermission: yes
`
  const error = await disk.load(yaml).catch((caught: unknown) => caught)
  expect((error as { problems: { line: number; key: string }[] }).problems.map(({ line, key }) => [line, key])).toEqual(
    [
      [1, 'setings'],
      [3, 'settings.httpPort'],
      [4, 'settings.idleTimeout'],
      [7, 'teams.a.path'],
      [8, 'teams.a.colour'],
      [9, 'teams.a'],
      [10, 'teams.constructor'],
      [10, 'teams.constructor.path'],
      [11, 'teams.constructor.grantPermission'],
    ],
  )
})
