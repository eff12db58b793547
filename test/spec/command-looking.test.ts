import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formerNames } from '../../src/app/cli/table/table.ts'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { agentOf } from '../../src/kernel/call/principal.ts'
import { callAs } from '../support/call-as.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { irisCommand, Program } from '../support/program.ts'
import { type CommandEnding, runAtTerminal, runCommand } from '../support/run-command.ts'
import { cutWords, Terminal } from '../support/terminal.ts'
import { spoken } from '../support/world.ts'

const escape = '\u001B'
const title = `${escape}]0;owned\u0007`

let gate = Promise.withResolvers<void>()

/** Backend asks mobile, and says what it heard. All texts contain characters that would act on a terminal. `wait` waits for the gate. */
const nested: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  if (spoken(lastUserText) === 'wait') return { stream: heldText('It depends', gate.promise, ' on you.') }
  if (!lastUserText.includes('to="backend"')) return { text: `You said: ${spoken(lastUserText)}` }
  if (step > 0) return { text: `mobile said ${JSON.parse(toolResults.at(-1)!.text).response}${title}` }
  return { toolUses: [{ name: 'mcp__iris__send_message', input: { toTeam: 'mobile', message: 'which', timeout: 0 } }] }
}

let iris: TestIris
let turnId: string
let sessionId: string

beforeAll(async () => {
  iris = await TestIris.start({ claude: 'fake', script: nested, teams: ['frontend', 'backend', 'mobile'] })
  const answered = await ask(iris, 'backend', `Which\nfields? ${title}`, { fromTeam: 'frontend' })
  ;({ turnId, sessionId } = answered)
})
afterAll(() => iris[Symbol.asyncDispose]())

const start = (args: readonly string[]) =>
  new Program(args, { cwd: iris.world.root, env: { ...iris.world.env, IRIS_HOME: iris.world.home } })

const run = (...args: string[]): Promise<CommandEnding> => runCommand(iris.world, args)

const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout)

/** Values that differ in each run, by kind. */
function masked(text: string): string[] {
  const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
  return text
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \((\d+ \w+ ago|now)\)/g, '<time>')
    .replaceAll(uuid, '<id>')
    .replaceAll(/\b[0-9a-f]{8}\b/g, '<short>')
    .replaceAll(/\d+ ms|\d+\.\d s/g, '<s>')
    .trimEnd()
    .split('\n')
}

/** Another id than any, that a slip makes of this one. */
const slip = (id: string): string => `${id.slice(0, 3)}${id[3] === 'a' ? 'b' : 'a'}${id.slice(4)}`

describe('iris search', () => {
  test('shows where the words stand, the newest first, and says when there is nothing', async () => {
    const found = await run('search', 'fields')
    expect(found).toMatchObject({ code: 0, stderr: '' })
    expect(masked(found.stdout)).toEqual([
      '<short>  <time>  frontend→backend  message',
      '  Which [fields]? ‹U+001B›]0;owned‹U+0007›',
    ])
    expect(found.stdout).toContain(turnId.slice(0, 8))
    expect(await run('search', 'zebra')).toMatchObject({ code: 0, stdout: 'Nothing was found.\n', stderr: '' })
    expect(await json('search', 'fields')).toMatchObject({ hits: [{ turnId, where: 'message' }] })
  })

  test('narrows by a team, and does not take a slip in its name for a team that said nothing', async () => {
    expect((await run('search', 'which', '--to', 'mobile')).stdout).toContain('backend→mobile')
    expect(await run('search', 'which', '--to', 'mobil')).toMatchObject({
      code: 8,
      stdout: '',
      stderr: 'error: There is no team "mobil".\nDid you mean "mobile"? Teams: frontend, backend, mobile.\n',
    })
    expect(await run('search', 'which', '--from', 'external')).toMatchObject({ stdout: 'Nothing was found.\n' })
  })
})

describe('iris trace', () => {
  test('shows the tree of asks, the asked one marked, each with its tools and where its time went', async () => {
    const { code, stdout, stderr } = await run('trace', turnId.slice(0, 8))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = masked(stdout)
    expect(lines[0]).toBe('* <short>  frontend→backend  completed  Which fields? ‹U+001B›]0;owned‹U+0007›')
    expect(lines[1]).toMatch(/^ {4}(queue <s>, )?process <s>, .*model <s>.*team <s>/)
    expect(lines[2]).toBe('    mcp__iris__send_message mobile  <s>')
    expect(lines[3]).toBe('  - <short>  backend→mobile  completed  which')
    expect(lines.at(-1)).toMatch(/^2 turns, \d+ tokens, \$\d+\.\d{4}$/)
    expect(await json('trace', turnId)).toMatchObject({ turnId, tree: { turns: 2 } })
  })

  test('of an id that is none says so, and which one may be meant', async () => {
    expect(await run('trace', slip(turnId.slice(0, 8)))).toMatchObject({
      code: 8,
      stdout: '',
      stderr: expect.stringContaining(`Did you mean ${turnId.slice(0, 8)}? "iris search" finds one by its words.\n`),
    })
    expect(await run('trace', slip(turnId))).toMatchObject({
      code: 8,
      stderr: expect.stringContaining(`Did you mean ${turnId}?`),
    })
    // Three characters are too few, also of one that exists.
    expect(await run('trace', turnId.slice(0, 3))).toMatchObject({ code: 8 })
    const far = await run('trace', '!!!!!!!!')
    expect(far).toMatchObject({ code: 8, stderr: expect.not.stringContaining('Did you mean') })
    const told = JSON.parse((await run('trace', '!!!!!!!!', '--json')).stdout)
    expect(told).toEqual({ error: expect.objectContaining({ code: 'unknown_turn' }) })
  })
})

/** Command lines, each with a name that nothing has. */
const ofNothing = [
  'result zz',
  'cancel zz',
  'trace zz',
  'why zz',
  'retry zz',
  'promote zz',
  'cache inspect zz',
  'logins revoke zz',
  'tell zz hello',
  'notify zz hello',
  'tell backend hello --role zz',
  'wake zz',
  'sleep zz',
  'wait zz',
  'report external zz',
  'delete external zz',
  'reboot external zz',
  'remove-team zz',
  'fork external zz other',
  'allow zz',
  'deny zz',
  'channels test zz',
  'channels allow zz 1',
  'channels delete zz',
  'reflect apply zz',
  'reflect refuse zz',
  'config unset zz',
  'config get settings.zz',
  'config unset teams.zz.model',
]

test.each(ofNothing)('iris %s: what it names does not exist, so it ends with 8 and says so', async (line) => {
  const { code, stdout, stderr } = await run(...line.split(' '))
  expect({ code, stdout }).toEqual({ code: 8, stdout: '' })
  expect(stderr).toMatch(/^error: .*zz.*\n.+/)
})

test('an agent is not told which ids there are', async () => {
  const agent = { principal: agentOf('mobile'), team: 'mobile', parent: undefined } as const
  for (const named of [turnId, slip(turnId)]) {
    const asked = callAs(agent, iris, 'message_status', { turnId: named })
    await expect(asked).rejects.toMatchObject({ code: 'unknown_turn', remedy: expect.not.stringContaining('meant') })
    await expect(asked).rejects.toMatchObject({ remedy: 'Use the turnId that send_message returned.' })
  }
})

test('iris why tells what happened to a message, step by step', async () => {
  const { code, stdout, stderr } = await run('why', turnId)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = masked(stdout)
  expect(lines[0]).toBe('<time>  Iris accepted the message of frontend for backend.')
  expect(lines).toContain('<time>  It asked mobile (turn <id>).')
  expect(lines.at(-1)).toBe('<time>  It ended: completed.')
  expect(await run('why', slip(turnId))).toMatchObject({ code: 8, stderr: expect.stringContaining(turnId) })
})

describe('iris sessions show', () => {
  test('shows what was asked in one conversation, and how it ended', async () => {
    const { code, stdout, stderr } = await run('report', 'frontend', 'backend')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(masked(stdout)).toEqual([
      'frontend→backend  idle  <id>',
      '1 message: 1 answered, 0 open, 0 without an answer',
      '',
      '<short>  <time>  completed',
      '  > Which',
      '  > fields? ‹U+001B›]0;owned‹U+0007›',
      '  < mobile said You said: which‹U+001B›]0;owned‹U+0007›',
    ])
    expect(await json('report', 'frontend', 'backend')).toMatchObject({ sessionId, entries: [{ turnId }] })
  })

  test('of those that never spoke says so; a slip in a name is told', async () => {
    expect(await run('report', 'mobile', 'backend')).toMatchObject({
      code: 0,
      stdout: 'mobile→backend have never spoken.\n',
    })
    expect(await run('report', 'program:ci', 'backend', '--thread', 'nightly')).toMatchObject({
      code: 0,
      stdout: 'program:ci→backend (nightly) have never spoken.\n',
    })
    for (const pair of [
      ['fronend', 'backend'],
      ['backend', 'fronend'],
    ]) {
      expect(await run('report', ...pair)).toMatchObject({
        code: 8,
        stderr: expect.stringMatching(/^error: There is no team "fronend"\.\nDid you mean "frontend"\? Teams: /),
      })
    }
  })
})

describe('iris cache inspect', () => {
  test('lists the turns of a conversation, which the first characters of its id name', async () => {
    const { code, stdout, stderr } = await run('cache', 'inspect', sessionId.slice(0, 8))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(masked(stdout)).toEqual([
      'frontend→backend  <id>  1 turn',
      '<short>  <time>  completed  Which fields? ‹U+001B›]0;owned‹U+0007›',
    ])
    expect(await json('cache', 'inspect', sessionId)).toMatchObject({ sessionId, turns: [{ turnId }] })
  })

  test('of an id that is none says which one may be meant', async () => {
    expect(await run('cache', 'inspect', slip(sessionId.slice(0, 8)))).toMatchObject({
      code: 8,
      stderr: expect.stringContaining(`Did you mean ${sessionId.slice(0, 8)}? "iris sessions" lists them`),
    })
  })
})

describe('iris logs', () => {
  test('prints what was logged; with -f also what comes, until it is left', async () => {
    const log = (message: string, ids = {}) =>
      iris.daemon.parts.recentLog.add({ level: 'error', context: 'test', message, ids })
    log(`before${title}`, { turnId })
    const logged = await run('logs', '--level', 'error')
    expect(masked(logged.stdout).at(-1)).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} {2}error {2}test {14}before‹U\+001B›]0;owned‹U\+0007› {2}turn=<short>$/,
    )
    expect(await json('logs', '--level', 'error')).toMatchObject({ logs: [{ level: 'error', ids: { turnId } }] })
    const followed = start(['logs', '-f', '--level', 'error'])
    await eventually(() => followed.stdout.includes('before'), 'what was there')
    log('after')
    await eventually(() => /error {2}test +after\n/.test(followed.stdout), 'what comes')
    followed.child.kill('SIGINT')
    expect(await followed.ended).toMatchObject({ code: 130, signal: null, stderr: '' })
  })
})

test('iris events lists what became of messages; with -f also what comes, from a cursor, until it is left', async () => {
  const listed = await run('events', '--type', 'turn-settled')
  expect(masked(listed.stdout)).toContainEqual(
    expect.stringMatching(/turn-settled {2}<short> {2}frontend→backend {2}completed$/),
  )
  const { events, nextCursor } = await json('events', '--limit', '2')
  expect(events).toMatchObject([{ type: 'turn-accepted' }, { turnId: expect.any(String) }])
  const followed = start(['events', '-f', '--json', '--after', String(nextCursor)])
  const lines = () => followed.stdout.split('\n').filter((line) => line !== '')
  const rest = iris.rows('SELECT 1 FROM journal').length - 2
  await eventually(() => lines().length === rest, 'what was there')
  iris.daemon.parts.ledger.journal.add({ at: 0, type: 'turn-accepted', turn: turnId, question: null })
  await eventually(() => lines().length === rest + 1, 'what comes')
  expect(JSON.parse(lines().at(-1)!)).toMatchObject({ type: 'turn-accepted', turnId, from: 'frontend', to: 'backend' })
  followed.child.kill('SIGINT')
  expect(await followed.ended).toMatchObject({ code: 130, signal: null, stderr: '' })
})

test('iris audit lists what was done by and about a team, and tells a slip in its name from one that did nothing', async () => {
  expect((await run('audit', '--limit', '1')).stdout).toMatch(/^\S+ \S+ \([^)]+\) {2}\S+ {2}\S+/)
  expect(await run('audit', '--team', 'mobile')).toMatchObject({ code: 0, stdout: 'Nothing is recorded.\n' })
  expect(await run('audit', '--team', 'mobil')).toMatchObject({ code: 8, stderr: expect.stringContaining('"mobile"') })
})

test('iris insight stats gives figures, of a team as well, and zeros where there is nothing', async () => {
  const { code, stdout, stderr } = await run('stats')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = masked(stdout)
  expect(lines.slice(0, 4)).toEqual([
    'since          <time>',
    'conversations  2: 2 live, 0 archived',
    expect.stringMatching(/^lasted {9}2 up to /),
    'messages       2: 2 answered, 0 open, 0 failed, 0 cancelled, 0 timed out, 0 in doubt',
  ])
  expect(stdout).toMatch(/^answer times +median (\d+ ms|\d+\.\d s), 95 % within (\d+ ms|\d+\.\d s)$/m)
  expect(lines).toContain('Busiest:')
  expect(lines).toContain('  frontend→backend  1')
  const nothing = await run('stats', '--from', 'mobile')
  expect(nothing.stdout).toMatch(/^conversations +0: 0 live, 0 archived\nmessages +0: .*\nanswer times +none yet\n/m)
  expect(await json('stats', '--team', 'mobile')).toMatchObject({ sessions: { total: 1 }, turns: { completed: 1 } })
  expect(await run('stats', '--team', 'mobil')).toMatchObject({ code: 8, stderr: expect.stringContaining('"mobile"') })
})

test.each([
  ['stats --channels', 0],
  ['channels pair shop K7M2QX', 8],
  ['channels allow shop 1', 8],
  ['channels remove shop 1', 8],
  ['cluster drain', 8],
  ['cluster forget studio', 8],
  ['cluster leave', 8],
])('iris %s, which only the owner may do, runs as the owner', async (command, code) => {
  const { stderr, ...ended } = await run(...command.split(' '))
  expect({ stderr, code: ended.code }).toEqual({ stderr: expect.not.stringContaining('is not allowed for'), code })
})

const terminal = (command: string, columns: number, more: Readonly<Record<string, string>> = {}) =>
  new Terminal(`exec ${irisCommand} ${command}`, {
    cwd: iris.world.root,
    env: { ...iris.world.env, IRIS_HOME: iris.world.home, ...more },
    columns,
  })

test('the names that commands had before do the same', async () => {
  const needed: Readonly<Record<string, readonly string[]>> = {
    ask: ['nobody', 'x'],
    report: ['frontend', 'backend'],
    'reflect apply': ['3f2a9c01'],
    'reflect refuse': ['3f2a9c01'],
    'logins revoke': ['3f2a9c01'],
  }
  const shapeOf = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
    if (value === null || typeof value !== 'object') return typeof value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]))
  }
  for (const [former, now] of Object.entries(formerNames)) {
    const words = [...(needed[former] ?? []), '--json']
    const [before, after] = [await run(...former.split(' '), ...words), await run(...now.split(' '), ...words)]
    const shape = ({ code, stdout }: CommandEnding) => ({ former, code, shape: shapeOf(JSON.parse(stdout)) })
    expect(shape(before)).toEqual(shape(after))
  }
})

test('at 60 columns no command leaves a word cut in two', { timeout: 300_000 }, async () => {
  const lines = [
    '',
    'status',
    'teams',
    'sessions',
    `trace ${turnId}`,
    `why ${turnId}`,
    'sessions show frontend backend',
    'insight stats',
    'insight usage',
    'search fields',
    'audit',
    'permissions',
    'insight patterns',
    'insight reflect',
    'schedules',
    'channels list',
    'logs',
    'cluster status',
    'config validate',
    'insight drift',
    'login list',
    'service status',
    '--help',
    'help --all',
    'tell --help',
    'retry zz',
    'tell nobody hello',
    'config unset zz',
    'wait frontend',
    'frobnicate',
    `result ${turnId}`,
  ]
  const cut: Record<string, readonly string[]> = {}
  const check = async (line: string, printed: string): Promise<void> => {
    expect({ line, printed }).not.toEqual({ line, printed: '' })
    const words = await cutWords(printed, 60)
    if (words.length > 0) cut[line] = words
  }
  for (const line of lines) {
    const words = line.split(' ').filter((word) => word !== '')
    await check(line, await runAtTerminal(iris.world, words, 60))
  }
  // A real terminal tells a command its width as the context does.
  await using screen = terminal('--help', 60)
  await screen.exited()
  await check('--help', screen.raw)
  expect(cut).toEqual({})
})

test.each([60, 40])(
  'at %i columns the monitor cuts no key in two, and a window of another width leaves nothing of it',
  async (columns) => {
    const rows = (screen: Terminal): readonly string[] =>
      screen.screen().map((row) => row.replaceAll(/ *(<1m|\b\d+[smhd])\b/g, ' <age>'))
    const steady = (screen: Terminal): readonly string[] => {
      const all = rows(screen)
      const log = all.findIndex((row) => / Log /.test(row))
      return [...all.slice(0, log), all.at(-1)!]
    }
    await using monitor = terminal('monitor', columns)
    await monitor.displays(/^❯ backend→mobile +idle +compl/m)
    await monitor.displays(/^  frontend→backend +idle/m)
    // The latest message is fetched after the conversation is drawn. A window of 40 columns has no room for it.
    if (columns === 60) await monitor.displays('(completed)')
    expect(monitor.screen().at(-1)).toMatch(/\? keys {2}q quit$/)
    const before = steady(monitor)
    monitor.press('?')
    await monitor.displays('Iris keeps running')
    expect(monitor.screen().filter((row) => row.endsWith('…'))).toEqual([])
    monitor.press('?')
    await monitor.displays(/Conversations \d/)
    monitor.resize(columns + 25, 30)
    await monitor.displays(new RegExp(`^━ Conversations 2 ━{${columns}}`, 'm'))
    monitor.resize(columns, 40)
    await expect.poll(() => steady(monitor), { timeout: 20_000 }).toEqual(before)
    monitor.press('q')
    await monitor.exited()
    expect(monitor.screen().filter((row) => row !== '')).toEqual([])
  },
)

test('on a narrow terminal lists go on between two cells', async () => {
  await using screen = terminal('sessions', 40)
  await screen.exited()
  const shown = masked(screen.screen().join('\n'))
  expect(shown.slice(0, 6)).toEqual([
    'pair  state  answered  context  used',
    '  session',
    expect.stringMatching(/^backend→mobile  idle  1( {2}\d+ %)?$/),
    expect.stringMatching(/^ {2}\d+ \w+ ago$/),
    '  <id>',
    expect.stringMatching(/^frontend→backend  idle  1/),
  ])
})

test('questions at a terminal are in colour, and with NO_COLOR they are not', async () => {
  const colour = new RegExp(`${escape}\\[[39]\\dm`)
  const asking = async (env: Readonly<Record<string, string>>): Promise<string> => {
    await using screen = terminal(`cache inspect ${sessionId}`, 120, env)
    await screen.displays('Which turn?')
    return screen.raw
  }
  expect(await asking({})).toMatch(colour)
  expect(await asking({ NO_COLOR: '1' })).not.toMatch(colour)
})

test.each([60, 40])(
  'at %i columns a chat and its live line cut no word in two, also when the window changes',
  async (columns) => {
    gate = Promise.withResolvers()
    await using chat = terminal('chat backend', columns)
    await chat.displays(/^backend>$/m)
    chat.press('wait\r')
    await chat.displays(/^It depends\nworking \d+ s$/m)
    chat.resize(columns - 15, 40)
    await chat.displays(/^It depends\nworking \d+ s$/m)
    chat.resize(columns, 40)
    gate.resolve()
    await chat.displays(/^It depends on you\.\nbackend>$/m)
    expect(chat.screen().filter((row) => row.includes('working'))).toEqual([])
    expect(chat.cutWords()).toEqual([])
    chat.press('\u0004')
    expect(await chat.exited()).toBe(0)
  },
)
