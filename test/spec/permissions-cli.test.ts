import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { Installation, irisCommand } from '../support/program.ts'
import { runCommand } from '../support/run-command.ts'
import { Terminal } from '../support/terminal.ts'
import { spoken } from '../support/world.ts'

/** In a command the CLI itself refuses an escape, and nothing else that hides. */
const tricky = { command: 'rm -rf "\u202e" ../x', description: '\u001b[2J' }

/** Runs the message as a command, and instead of the word "tricky" that one. */
const runs: Script = ({ conversation: { lastUserText, step, toolResults } }) =>
  step === 0
    ? { toolUses: [{ name: 'Bash', input: inputFor(spoken(lastUserText)) }] }
    : { text: `${toolResults.at(-1)?.isError ? 'refused: ' : ''}${toolResults.at(-1)?.text}` }

const inputFor = (message: string) => (message === 'tricky' ? tricky : { command: message })

let iris: Installation
beforeAll(async () => {
  iris = await Installation.create({ script: runs, teams: ['frontend', 'backend'] })
  await iris.startDaemon()
})
afterAll(() => iris[Symbol.asyncDispose]())

const say = (message: string) =>
  ask({ port: iris.daemon()!.port, token: iris.world.token() }, 'backend', message, { fromTeam: 'frontend' })

/** The id of the question about this command, once it waits. */
async function asked(command: string): Promise<string> {
  const pending = () =>
    iris
      .rows(`SELECT id, input FROM permissions WHERE state = 'pending'`)
      .find(({ input }) => JSON.parse(String(input)).command === command)
  const { id } = await eventually(pending, `the question about ${command}`)
  return String(id)
}

test('what waits is listed with all that is to be known, and nothing of it can act on the terminal', async () => {
  const answered = say('tricky')
  const id = await asked(tricky.command)
  const { code, stdout } = await iris.run(['permissions'])
  expect(code).toBe(0)
  expect(stdout).toMatch(new RegExp(`^${id.slice(0, 8)}  Bash of backend: waits for you, \\d+ minutes left\\n`))
  expect(stdout).toContain('asked by  frontend → backend')
  expect(stdout).toContain(`runs in   ${iris.world.directory('backend')}`)
  expect(stdout).toContain('  > command: rm -rf "‹U+202E›" ../x\n  > description: ‹U+001B›[2J\n')
  expect(stdout).toContain(
    'look at   deletes files; reaches outside the project; contains characters that cannot be seen',
  )
  expect(stdout).toContain(`"iris allow ${id.slice(0, 8)}"`)
  for (const hidden of ['\u001b', '\u202e']) expect(stdout).not.toContain(hidden)
  const { permissions } = JSON.parse((await runCommand(iris.world, ['permissions', '--json'])).stdout)
  expect(permissions).toMatchObject([{ permissionId: id, input: tricky }])
  const denied = await iris.run(['deny', id.slice(0, 8), 'not', 'here'])
  expect(denied).toMatchObject({ code: 0, stdout: 'Denied: Bash of backend.\n' })
  expect(await answered).toMatchObject({ response: expect.stringMatching(/^refused: .*says no: not here\.$/) })
  expect(await runCommand(iris.world, ['permissions'])).toMatchObject({
    stdout: 'No permission request is waiting for you.\n',
  })
  expect((await runCommand(iris.world, ['permissions', '--all'])).stdout).toContain('Bash of backend: denied by owner.')
})

test('allowed by a beginning of its id, it runs; a second answer says that it has no effect', async () => {
  const answered = say('echo one | tee one.txt')
  const id = await asked('echo one | tee one.txt')
  expect(await iris.run(['allow', id.slice(0, 6)])).toMatchObject({ code: 0, stdout: 'Allowed: Bash of backend.\n' })
  expect(await answered).toMatchObject({ response: 'one' })
  const second = await runCommand(iris.world, ['deny', id])
  expect(second).toMatchObject({ code: 8, stdout: '' })
  expect(second.stderr).toMatch(/^error: Request .* was already allowed by owner\. Your answer has no effect\.\n/)
})

test('allowed with another input, that one runs', async () => {
  const answered = say('echo two | tee two.txt')
  const id = await asked('echo two | tee two.txt')
  await runCommand(iris.world, ['allow', id, '--input', '{"command":"echo other"}'])
  expect(await answered).toMatchObject({ response: 'other' })
})

test('allowed for the pair, it is not asked again', async () => {
  const command = 'touch pair.txt'
  const answered = say(command)
  const { stdout } = await runCommand(iris.world, ['allow', await asked(command), '--scope', 'pair'])
  expect(stdout).toBe('Allowed: Bash of backend, and from now on (pair).\n')
  expect((await answered).response).not.toContain('refused')
  expect((await say(command)).response).not.toContain('refused')
})

test('where Claude Code asks in spite of the rule that an answer made, no such rule is offered again', async () => {
  const command = 'echo pair | tee pair.txt'
  const first = say(command)
  await runCommand(iris.world, ['allow', await asked(command), '--scope', 'pair'])
  await first
  const second = say(command)
  const id = await asked(command)
  expect((await runCommand(iris.world, ['permissions', '--list'])).stdout).not.toContain('  rule ')
  const { code, stderr } = await runCommand(iris.world, ['allow', id, '--scope', 'pair'])
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('would keep Claude Code from asking') })
  await runCommand(iris.world, ['allow', id, '--scope', 'pair', '--rule', 'Bash(tee *)'])
  expect(await second).toMatchObject({ response: 'pair' })
  expect(await say(command)).toMatchObject({ response: 'pair' })
})

test.each([
  [['allow', 'zzzz'], 'There is no permission request "zzzz".'],
  [['allow', ''], '<id> is empty.'],
  [['allow', 'x', '--scope', 'ever'], 'There is no scope "ever".'],
  [['allow', 'x', '--input', '[1]'], '--input is not a JSON object.'],
])('%j is refused', async (args, what) => {
  const { code, stderr } = await runCommand(iris.world, args)
  expect(code).not.toBe(0)
  expect(stderr).toContain(what)
})

test('inside an agent the terminal has no say, whatever it can read', async () => {
  const answered = say('touch inside.txt')
  const id = await asked('touch inside.txt')
  const mark = { IRIS_PROCESS: 'somebody.s' }
  const { code, stderr } = await runCommand(iris.world, ['allow', id], { env: mark })
  expect({ code, stderr }).toEqual({
    code: 7,
    stderr: expect.stringContaining('error: This runs inside an agent of Iris'),
  })
  expect(await asked('touch inside.txt')).toBe(id)
  await runCommand(iris.world, ['deny', id])
  await answered
})

test('without a daemon one is started, and no question waits', async () => {
  await using other = await Installation.create()
  expect(await other.run(['permissions'])).toMatchObject({
    code: 0,
    stdout: 'No permission request is waiting for you.\n',
  })
})

test('at a terminal each question is shown and answered on the spot, in its own words where it is denied', async () => {
  const env = { ...iris.env }
  const denied = say('touch one.txt')
  await asked('touch one.txt')
  await using person = new Terminal(`exec ${irisCommand} permissions`, { cwd: iris.world.root, env })
  await person.shows('> command: touch one.txt')
  await person.shows('May backend use Bash?')
  const endpoint = { port: iris.daemon()!.port, token: iris.world.token() }
  const again = ask(endpoint, 'backend', 'touch two.txt', { fromTeam: 'frontend', thread: 'two' })
  await asked('touch two.txt')
  const [up, enter] = ['\u001b[A', '\r']
  // From the first choice up to the last but one.
  person.press(up + up + enter)
  await person.shows('Why not?')
  await person.type('not today')
  await person.shows('Denied: Bash of backend.')
  expect(await denied).toMatchObject({ response: expect.stringContaining('says no: not today') })
  await person.shows('> command: touch two.txt')
  const before = person.printed.length
  await person.shows('May backend use Bash?', Math.max(0, before - 400))
  person.press(enter)
  await person.shows('Allowed: Bash of backend.')
  expect(await again).toMatchObject({ status: 'completed' })
  await person.shows('No permission request is waiting for you.')
  expect(await person.exited()).toBe(0)
})

test('who sent the message answers there, or leaves the question to somebody else', async () => {
  const at = { cwd: iris.world.root, env: { ...iris.env } }
  const tell = (command: string) => new Terminal(`exec ${irisCommand} tell backend "${command}"`, at)
  const [down, enter] = ['\u001b[B', '\r']
  await using first = tell('touch three.txt')
  await first.shows('> command: touch three.txt')
  await first.shows('May backend use Bash?')
  first.press(enter)
  await first.shows('Allowed: Bash of backend.')
  expect(await first.exited()).toBe(0)
  expect(first.printed.trimEnd()).not.toContain('refused')
  await using second = tell('touch four.txt')
  await second.shows('May backend use Bash?')
  second.press(down + enter)
  await second.shows('refused: ')
  expect(await second.exited()).toBe(0)
  await using third = tell('touch six.txt')
  await third.shows('May backend use Bash?')
  third.press(down + down + enter)
  await third.shows('The request still waits. Answer it with "iris permissions"')
  expect(await runCommand(iris.world, ['deny', (await asked('touch six.txt')).slice(0, 8)])).toMatchObject({ code: 0 })
  expect(await third.exited()).toBe(0)
  // Decided elsewhere, the prompt goes on its own.
  await using fourth = tell('touch seven.txt')
  await fourth.shows('May backend use Bash?')
  expect(await runCommand(iris.world, ['deny', (await asked('touch seven.txt')).slice(0, 8)])).toMatchObject({
    code: 0,
  })
  expect(await fourth.exited()).toBe(0)
})

test('the screen on which a question is answered by key', async () => {
  const answered = say('touch five.txt')
  const id = (await asked('touch five.txt')).slice(0, 8)
  const at = { cwd: iris.world.root, env: iris.env, columns: 80, rows: 24 }
  await using person = new Terminal(`exec ${irisCommand} permissions`, at)
  const question = [
    `${id}  Bash of backend: waits for you, # minutes left`,
    '  asked by  frontend → backend',
    `  runs in   ${iris.world.directory('backend')}`,
    '  > command: touch five.txt',
    '  rule      Bash(touch five.txt)',
  ]
  // What Claude Code offers is its own to say.
  const tidied = (screen: readonly string[]) =>
    screen
      .filter((row) => !row.startsWith('  offered '))
      .map((row) => row.replace(/\d+ minutes left$/, '# minutes left'))
  const choices = (chosen: number) =>
    [
      'Yes, this once',
      'Yes, and from now on in this conversation',
      'Yes, and from now on for this pair',
      'Yes, always: write the rule to config.yaml',
      'No',
      'Later',
    ].map((label, place) => `│  ${place === chosen ? '●' : '○'} ${label}`)
  const asking = ['│', '◆  May backend use Bash?']
  const help = ['│  ↑/↓ to navigate • Enter: confirm', '└']
  await person.reads([...question, ...asking, ...choices(0), ...help], tidied)
  const down = '\u001b[B'
  person.press(down.repeat(4))
  await person.reads([...question, ...asking, ...choices(4), ...help], tidied)
  person.press('\r')
  await person.displays('Why not? Your reason is sent to the agent (optional).')
  person.press('\r')
  const ends = [
    '│',
    '◇  May backend use Bash?',
    '│  No',
    '│',
    '◇  Why not? Your reason is sent to the agent (optional).',
    '│',
  ]
  await person.reads(
    [...question, ...ends, 'Denied: Bash of backend.', 'No permission request is waiting for you.'],
    tidied,
  )
  expect(await person.exited()).toBe(0)
  await answered
})
