import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { Installation, irisCommand } from '../support/program.ts'
import { runCommand } from '../support/run-command.ts'
import { Terminal } from '../support/terminal.ts'
import { spoken } from '../support/world.ts'

/** What would clear the screen, name the window, move the cursor, turn the text round. */
const acting = '\u001b[2J\u001b]0;owned\u0007\u009b1;1H\u202e'
const visibly = '‹U+001B›[2J‹U+001B›]0;owned‹U+0007›‹U+009B›1;1H‹U+202E›'

let gate = Promise.withResolvers<void>()

/** `run <command>` runs it; `think` is half an answer until the gate opens, and so is what goes on after a crash. */
const script: Script = ({ conversation: { lastUserText, toolResults } }) => {
  const [verb, rest = ''] = spoken(lastUserText).split(/ (.*)/s)
  const result = toolResults.at(-1)
  if (result) return { text: `It says: ${result.text}` }
  if (verb === 'run') return { toolUses: [{ name: 'Bash', input: { command: rest, description: 'x' } }] }
  if (verb === 'think') return { stream: heldText(`Half ${acting}\n\nan answer`, gate.promise, ', then the rest') }
  if (verb?.startsWith('<iris-continuation>')) return { stream: heldText('Going on', gate.promise, ', and done') }
  return { text: `You said: ${spoken(lastUserText)}` }
}

let iris: Installation
beforeEach(async () => {
  gate = Promise.withResolvers()
  iris = await Installation.create({ claude: 'either', script, teams: ['frontend', 'backend'] })
  await iris.serve()
})
afterEach(() => iris[Symbol.asyncDispose]())

const endpoint = () => ({ port: iris.daemon()!.port, token: iris.world.token() })
const say = (message: string, thread = 'main') => ask(endpoint(), 'backend', message, { fromTeam: 'frontend', thread })

function open(columns = 80, rows = 24, { command = 'monitor', env = {} } = {}): Terminal {
  const at = { cwd: iris.world.root, env: { ...iris.env, ...env }, columns, rows }
  return new Terminal(`exec ${irisCommand} ${command}`, at)
}

const [enter, tab] = ['\r', '\t']

/** The screen without what time, machine and Claude Code make of it: log, seconds, minutes, offered rules, wide blanks. */
function tidied(screen: readonly string[]): readonly string[] {
  const log = screen.findIndex((row) => /^[━─] Log /.test(row))
  const rows = log < 0 ? screen : [...screen.slice(0, log + 1), ...screen.slice(-1)]
  return rows
    .filter((row) => !row.startsWith('  offered '))
    .map((row) =>
      row
        .replace(/\b\d+s /, '#s ')
        .replace(/\d+ minutes left$/, '# minutes left')
        .replace(/(<1m|\b\d+m)$/, '#m')
        .replace(/ {2,}/g, '  '),
    )
}

/** The beginning of the id of the question that is opened. */
const questionOn = (terminal: Terminal): string => /(?<=Request )\w{8}/.exec(terminal.screen().join('\n'))![0]

const title = (text: string, rule = '─', width = 80) => `${rule} ${text} `.padEnd(width, rule)

test('at 80 columns and 24 rows it shows who works, what is said as it is said, and nothing of it acts on the terminal', async () => {
  await using screen = open()
  await screen.reads(
    [
      ' Iris  0 of 10 awake  ● live',
      title('Conversations 0', '━'),
      '  Nobody has asked anything yet: iris tell <team> <message>',
      title('Live'),
      'Nothing has been said here yet.',
      title('No open requests'),
      title('Log'),
      ' tab pane  ↑↓ choose  enter open  ? keys  q quit',
    ],
    tidied,
  )
  await screen.displays(/^\d\d:\d\d:\d\d info {2}iris {2}Iris .* listens on /m)
  const first = say('think about it')
  await screen.displays('an answer')
  const second = say('and then?')
  const top = (waiting: string, sum: string) => [
    ` Iris  1 of 10 awake${sum}  ● live`,
    title('Conversations 1', '━'),
    `❯ frontend→backend  working  #s writes  ${waiting}#m`,
    title('frontend→backend · working'),
  ]
  const bottom = [title('No open requests'), title('Log'), ' tab pane  ↑↓ choose  enter open  ? keys  q quit']
  await screen.reads(
    [...top('+1  ', '  1 queued'), '> think about it', `Half ${visibly}`, 'an answer', ...bottom],
    tidied,
  )
  expect(screen.screen().every((row) => row.length <= 80)).toBe(true)
  gate.resolve()
  await Promise.all([first, second])
  await screen.displays('(completed)')
  await screen.reads(
    [
      ' Iris  1 of 10 awake  ● live',
      title('Conversations 1', '━'),
      '❯ frontend→backend  idle  completed  #m',
      title('frontend→backend · idle'),
      '> and then?',
      'You said: and then?',
      '(completed)',
      ...bottom,
    ],
    tidied,
  )
  for (const hidden of ['\u001b]', '\u009b', '\u202e', '\u001b[2J\u001b]0;owned'])
    expect(screen.raw).not.toContain(hidden)
  screen.press('q')
  expect(await screen.exited()).toBe(0)
  // The screen of before is there again.
  await screen.reads([])
})

test('a question is opened, read whole and allowed by key, and the call goes through', async () => {
  await using screen = open()
  await screen.displays('● live')
  const rings = () => screen.raw.split('\u0007').length - 1
  expect(rings()).toBe(0)
  const answered = say('run echo one | tee one.txt')
  await screen.displays('1 request')
  expect(rings()).toBe(1)
  await screen.displays(/^❯ frontend→backend +waiting for you +wants to use Bash/m)
  // A key for an answer does nothing where no question is open.
  screen.press(`a${tab}${tab}a${enter}`)
  await screen.displays('  > command: echo one | tee one.txt')
  const opened = questionOn(screen)
  await screen.reads(
    [
      ' Iris  1 of 10 awake  1 request  ● live',
      title(`Request ${opened}`, '━'),
      `${opened}  Bash of backend: waits for you, # minutes left`,
      '  asked by  frontend → backend',
      `  runs in  ${iris.world.directory('backend')}`,
      '  > command: echo one | tee one.txt',
      '  > description: x',
      '  rule  Bash(echo one | tee one.txt)',
      '  a Yes, this once',
      '  s Yes, and from now on in this conversation',
      '  p Yes, and from now on for this pair',
      '  w Yes, always: write the rule to config.yaml',
      '  d No',
      ' a once  s conversation  p pair  w always  d no  ↑↓ scroll  esc back  ? keys',
    ],
    tidied,
  )
  screen.press('a')
  expect(await answered).toMatchObject({ response: 'It says: one' })
  await screen.displays(' Allowed: Bash of backend.')
  await screen.displays('━ No open requests ')
})

test('a denial is typed with its reason, which the agent is told', async () => {
  await using screen = open()
  const answered = say('run touch two.txt')
  await screen.displays('1 request')
  screen.press(`${tab}${tab}${enter}d`)
  await screen.displays(' Why not? ▏')
  screen.press('not q')
  await screen.displays(' Why not? not q▏')
  screen.press('\u007ftoday')
  await screen.displays(' Why not? not today▏')
  screen.press(enter)
  await screen.displays(' Denied: Bash of backend.')
  expect(await answered).toMatchObject({ response: expect.stringContaining('not today') })
})

test('a question that is answered elsewhere says so, and no key of it has an effect any more', async () => {
  await using screen = open()
  const answered = say('run touch three.txt')
  await screen.displays('1 request')
  screen.press(`${tab}${tab}${enter}`)
  await screen.displays('> command: touch three.txt')
  const id = questionOn(screen)
  expect(await runCommand(iris.world, ['deny', id, 'elsewhere'])).toMatchObject({ code: 0 })
  await screen.displays('This request is no longer open')
  screen.press('a')
  await answered
  screen.press('?')
  await screen.reads(
    [
      ' Iris  1 of 10 awake  ● live',
      title('Keys', '━'),
      '  tab, shift-tab  next or previous pane',
      '  ↑ ↓, k j  choose a conversation or a request; scroll a text',
      '  page up, down  moves or scrolls ten rows',
      '  enter  opens: the live text of a conversation, a request, the log',
      '  esc  goes back',
      '  a  in an open request: yes, this once',
      '  s, p, w  yes, from now on: in this conversation, for this pair, always',
      '  d  no; asks you why',
      '  ?  shows these keys',
      '  q, Ctrl-C  quits the monitor; Iris keeps running',
      ' ↑↓ scroll  esc back  tab pane  ? keys  q quit',
    ],
    tidied,
  )
})

test('it follows the size of the window, however small, and uses a large one', async () => {
  await say('hello')
  await using screen = open(100, 30)
  await screen.displays(/^❯ frontend→backend +idle/m)
  screen.resize(140, 40)
  await screen.displays(/^━ Conversations 1 ━+ ─ frontend→backend · idle ─+$/m)
  expect(screen.screen().map((row) => row.length <= 140)).not.toContain(false)
  screen.resize(48, 8)
  await screen.displays(/^━ Conversations 1 ━+$/m)
  await screen.reads(
    [
      ' Iris  1 of 10 awake  ● live',
      title('Conversations 1', '━', 48),
      '❯ frontend→backend  idle  completed  #m',
      ' tab pane  ↑↓ choose  enter open  ? keys  q quit',
    ],
    tidied,
  )
  for (const [columns, rows] of [
    [12, 3],
    [3, 2],
    [1, 1],
  ] as const)
    screen.resize(columns, rows)
  screen.resize(80, 24)
  await screen.displays(/^━ Conversations 1 ━{60}━+$\n❯ frontend→backend/m)
  screen.press('\u0003')
  expect(await screen.exited()).toBe(130)
})

test('a daemon that is killed is gone and said to be, and once it is there again all goes on', async () => {
  await iris.startDaemon()
  await using screen = open()
  void say('think again', 'two').catch(() => {})
  await screen.displays('an answer')
  process.kill(iris.daemon()!.pid, 'SIGKILL')
  await screen.displays(/✕ Iris stopped \(\d+s\); waiting for it to return/)
  await screen.displays('an answer')
  await iris.startDaemon()
  await screen.displays('● live')
  // The new daemon continues interrupted work.
  await screen.displays(/frontend→backend \(two\) +working/)
  gate.resolve()
  await screen.displays('Going on, and done')
  await screen.displays('(completed)')
  const answered = say('run touch four.txt')
  await screen.displays('1 request')
  screen.press(`${tab}${tab}${enter}`)
  await screen.displays('> command: touch four.txt')
  screen.press(`a`)
  await answered
  await screen.displays('Allowed: Bash of backend.')
  screen.press('q')
  expect(await screen.exited()).toBe(0)
})

test('a configuration that was saved with a mistake is told in the first row, until it is fixed', async () => {
  await using screen = open()
  await screen.displays('● live')
  const file = join(iris.world.home, 'config.yaml')
  const good = readFileSync(file, 'utf8')
  writeFileSync(file, `${good}\nmistake: true\n`)
  await screen.displays('0 of 10 awake  config not in force')
  await using another = open()
  await another.displays('0 of 10 awake  config not in force')
  writeFileSync(file, good)
  await screen.reads([' Iris  0 of 10 awake  ● live'], (rows) => tidied(rows).slice(0, 1))
  await another.reads([' Iris  0 of 10 awake  ● live'], (rows) => tidied(rows).slice(0, 1))
  another.press('q')
  expect(await another.exited()).toBe(0)
})

test('NO_COLOR leaves out every colour', async () => {
  await using screen = open(80, 24, { env: { NO_COLOR: '1' } })
  await screen.displays('● live')
  // oxlint-disable-next-line no-control-regex
  expect(screen.raw).not.toMatch(/\u001b\[[0-9;]*m/)
})

test('into a pipe goes how things stand, then a line an event, and over a restart too', async () => {
  await iris.startDaemon()
  await say('hello')
  const monitor = iris.start(['monitor'])
  const shows = (pattern: RegExp) =>
    eventually(() => pattern.test(monitor.stdout), `the line ${pattern}`).catch((late: unknown) => {
      throw new Error(monitor.stdout, { cause: late })
    })
  await shows(/^\d+ of at most 10 Claude Code processes are awake\.\n( {2}frontend→backend.* idle .*\n)/)
  await say(`say ${acting}`)
  await shows(/^\d\d:\d\d:\d\d {2}turn-accepted {2}frontend→backend {2}turnId=[0-9a-f-]{36} {2}ahead=0$/m)
  await shows(/ turn-message {2}frontend→backend {2}says: You said: say ‹U\+001B›\[2J/)
  await shows(
    / turn-settled {2}frontend→backend {2}turnId=[0-9a-f-]{36} {2}outcome=completed {2}messageCount=\d+ {2}durationMs=\d+ {2}queuedMs=\d+$/m,
  )
  const denied = say('run touch five.txt')
  await shows(/ permission:request {2}Bash of backend: pending {2}[0-9a-f-]{36}$/m)
  const [, id = ''] = /pending {2}([0-9a-f-]{36})$/m.exec(monitor.stdout)!
  await runCommand(iris.world, ['deny', id])
  await denied
  await shows(/ turn-message {2}frontend→backend {2}uses: Bash touch five\.txt$/m)
  await shows(/ permission:resolved {2}Bash of backend: denied {2}[0-9a-f-]{36}$/m)
  expect(monitor.stdout).not.toMatch(/[^\P{Cc}\n]/u)
  process.kill(iris.daemon()!.pid, 'SIGKILL')
  await eventually(
    () => monitor.stderr.includes('Iris stopped; waiting for it to return.\n'),
    'it says that Iris stopped',
  )
  await iris.startDaemon()
  await eventually(() => monitor.stderr.includes('Iris is back.\n'), 'it says that Iris is back')
  monitor.child.kill('SIGINT')
  expect(await monitor.ended).toMatchObject({ code: 130 })
})

test('with --json each event is a line of JSON', async () => {
  const monitor = iris.start(['monitor', '--json'])
  const events = () =>
    monitor.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  await eventually(() => monitor.stdout.includes('"snapshot"'), 'the snapshot')
  const { turnId } = await say(`say ${acting}`)
  await eventually(
    () => events().some((event) => event['type'] === 'turn-settled' && event['turnId'] === turnId),
    'it ends',
  )
  expect(events()).toContainEqual({ type: 'connection', connection: 'live' })
  expect(events()).toContainEqual(expect.objectContaining({ type: 'snapshot', teams: expect.any(Array) }))
  expect(monitor.stdout).not.toMatch(/[^\P{Cc}\n]/u)
  monitor.child.kill('SIGINT')
  expect(await monitor.ended).toMatchObject({ code: 130, stderr: '' })
})
