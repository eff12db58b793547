import { expect, test } from 'vitest'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { type Ending, irisCommand, Program } from '../support/program.ts'
import { type CommandEnding, runCommand } from '../support/run-command.ts'
import { Stage } from '../support/stage.ts'
import { Terminal } from '../support/terminal.ts'
import { spoken } from '../support/world.ts'

const teams = ['frontend', 'backend']
const environment = (iris: TestIris) => ({ ...iris.world.env, IRIS_HOME: iris.world.home })

function run(iris: TestIris, args: readonly string[], stdin = ''): Promise<CommandEnding> {
  return runCommand(iris.world, args, { stdin })
}

function runReally(iris: TestIris, args: readonly string[], stdin = ''): Promise<Ending> {
  const program = new Program(args, { cwd: iris.world.root, env: environment(iris) })
  program.child.stdin.end(stdin)
  return program.ended
}

/** What is to be thought about is begun and never ended. */
const thinks: Script = ({ conversation: { lastUserText } }) =>
  spoken(lastUserText).startsWith('think')
    ? { stream: heldText('It depends', new Promise(() => {}), '') }
    : { text: `You said: ${spoken(lastUserText)}` }

const [ctrlC, ctrlD, down, up, enter, tab] = ['\u0003', '\u0004', '\u001b[B', '\u001b[A', '\r', '\t']

const terminal = (iris: TestIris, command: string): Terminal =>
  new Terminal(`exec ${irisCommand} ${command}`, { cwd: iris.world.root, env: environment(iris) })

test('with the real Claude Code: tell, ask and result give the answer, piped as text and as JSON', async () => {
  await using iris = await TestIris.start({ claude: 'either', teams })
  const told = await runReally(iris, ['tell', 'backend', 'Which', 'fields?'])
  expect(told).toMatchObject({ code: 0, stdout: 'You said: Which fields?\n', stderr: '' })
  const json = await runReally(iris, ['ask', 'backend', 'again', '--from', 'frontend', '--thread', 'two', '--json'])
  const result = JSON.parse(json.stdout)
  expect({ code: json.code, result }).toMatchObject({
    code: 0,
    result: { status: 'completed', from: 'frontend', thread: 'two', response: 'You said: again' },
  })
  const short = result.turnId.slice(0, 8)
  expect(await runReally(iris, ['result', short])).toMatchObject({ code: 0, stdout: 'You said: again\n' })
  const long = await runReally(iris, ['tell', 'backend', 'Notes:', '--file', '-'], 'one\ntwo')
  expect(long.stdout).toBe('You said: Notes:\n\none\ntwo\n')
})

test('at a terminal the answer grows as it comes, and nothing in it acts on the terminal', async () => {
  const gate = Promise.withResolvers<void>()
  const script: Script = () => ({
    stream: heldText('Half an\u001b]0;title\u0007swer', gate.promise, ', then the rest. 🎉'),
  })
  await using iris = await TestIris.start({ claude: 'either', script, teams })
  await using screen = terminal(iris, 'tell backend hello')
  await screen.shows('Half an‹U+001B›]0;title‹U+0007›swer')
  expect(screen.printed).not.toContain('the rest')
  gate.resolve()
  await screen.shows('swer, then the rest. 🎉')
  expect(await screen.exited()).toBe(0)
  const { turnId } = await iris.event('turn-delivered')
  await screen.reads(['Half an‹U+001B›]0;title‹U+0007›swer, then the rest. 🎉', `iris why ${turnId.slice(0, 8)}`])
})

test('at a terminal the answer is shown while it comes, and Ctrl-C asks: cancelled, or left running', async () => {
  await using iris = await TestIris.start({ claude: 'either', script: thinks, teams })
  await using first = terminal(iris, 'tell backend think')
  await first.shows('It depends')
  const { turnId } = await iris.event('turn-delivered')
  first.press(ctrlC)
  await first.shows('Leave it running')
  first.press(down + enter)
  await first.shows('error: The message was cancelled')
  expect(await first.exited()).toBe(10)
  expect(await callTool(iris, 'message_status', { turnId })).toMatchObject({ status: 'cancelled' })

  await using second = terminal(iris, 'tell backend think again')
  await second.shows('It depends')
  second.press(ctrlC)
  await second.shows('Leave it running')
  second.press(down + down + enter)
  await second.shows('It is still running. Collect the answer with "iris result')
  expect(await second.exited()).toBe(130)
  const again = await iris.event('turn-delivered', (event) => event.turnId !== turnId)
  expect(await callTool(iris, 'message_status', { turnId: again.turnId })).toMatchObject({ status: 'async' })
  expect(await run(iris, ['wait', 'backend', '--timeout', '1'])).toMatchObject({
    code: 11,
    stdout: 'backend still has 1 message.\n',
  })
  expect(await run(iris, ['result', again.turnId.slice(0, 8)])).toMatchObject({ code: 11 })
  expect(await runReally(iris, ['cancel', again.turnId.slice(0, 8)])).toMatchObject({ code: 0 })
})

test('a chat for programs is a message a line, and what came of it a line of JSON each, in their order', async () => {
  await using iris = await TestIris.start({ claude: 'either', script: thinks, teams })
  const chat = new Program(['chat', 'backend', '--thread', 'two', '--json'], {
    cwd: iris.world.root,
    env: environment(iris),
  })
  chat.child.stdin.write('one\n\n/to nobody\n')
  // An answer does not wait for the end of the questions.
  await eventually(() => chat.stdout.includes('/to nobody'), 'an answer to the second one')
  chat.child.stdin.end('three')
  const told = ({ stdout }: { stdout: string }) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  const ended = await chat.ended
  expect(told(ended)).toMatchObject([
    { status: 'completed', thread: 'two', response: 'You said: one' },
    { status: 'completed', thread: 'two', response: 'You said: /to nobody' },
    { status: 'completed', thread: 'two', response: 'You said: three' },
  ])
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  const left = new Program(['chat', 'backend', '--thread', 'three', '--json'], {
    cwd: iris.world.root,
    env: environment(iris),
  })
  left.child.stdin.write('think\nfour\n')
  const listed = async () => (await callTool(iris, 'list_turns', {})) as unknown as { turns: { status: string }[] }
  await eventually(async () => (await listed()).turns.some(({ status }) => status === 'working'), 'work on it')
  left.child.kill('SIGINT')
  // It may come before the command has begun to wait.
  const { code, signal, stdout } = await left.ended
  expect([130, 'SIGINT']).toContain(code ?? signal)
  expect(stdout).toBe('')
  const refused = await run(iris, ['chat', 'bakend', '--json'], 'one\ntwo\n')
  expect(told(refused)).toMatchObject([{ error: { code: 'unknown_team' } }, { error: { code: 'unknown_team' } }])
  expect(refused).toMatchObject({ code: 8, stderr: expect.stringContaining('Did you mean "backend"?') })
  expect(await run(iris, ['chat', '--json'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('needs a team'),
  })
})

test('a chat is one conversation, with what was said before in its history and names completed', async () => {
  await using iris = await TestIris.start({ claude: 'either', script: thinks, teams })
  await run(iris, ['tell', 'backend', 'before'])
  await using chat = terminal(iris, 'chat backend')
  await chat.shows('backend>')
  chat.press(up)
  await chat.shows('backend> before')
  chat.press(enter)
  await chat.shows('You said: before')
  const before = chat.printed.length
  const promptAfter = async (prompt: string, text: string): Promise<void> => {
    await chat.shows(text, before)
    const since = () => chat.printed.slice(before)
    await eventually(() => since().lastIndexOf(prompt) > since().lastIndexOf(text), 'the prompt comes back')
  }
  await chat.type('think')
  await chat.shows('It depends')
  chat.press(ctrlC)
  await chat.shows('Leave it running')
  chat.press(down + enter)
  await chat.shows('message was cancelled')
  await promptAfter('backend>', 'message was cancelled')
  chat.press(`/to fr${tab}`)
  await chat.shows('/to frontend', before)
  chat.press(enter)
  await chat.shows('frontend>', before)
  await chat.type('hello')
  await promptAfter('frontend>', 'You said: hello')
  chat.press(ctrlD)
  expect(await chat.exited()).toBe(0)
  const rows = iris.rows('SELECT message FROM turns ORDER BY sequence')
  expect(rows.map(({ message }) => message)).toEqual(['before', 'before', 'think', 'hello'])
})

test('what is typed into a chat while an answer comes waits for the prompt, and Ctrl-D leaves after the answer', async () => {
  const gate = Promise.withResolvers<void>()
  const script: Script = ({ conversation: { lastUserText } }) =>
    spoken(lastUserText) === 'slow'
      ? { stream: heldText('It depends', gate.promise, ' on you.') }
      : { text: `You said: ${spoken(lastUserText)}` }
  await using iris = await TestIris.start({ claude: 'either', script, teams })
  await using chat = terminal(iris, 'chat backend')
  await chat.shows('backend>')
  await chat.type('slow')
  await chat.shows('It depends')
  chat.press(`gone${ctrlC}`)
  await chat.shows('Leave it running')
  chat.press(enter)
  await chat.shows('Keep waiting')
  chat.press(`two words${enter}/to fr${tab}${enter}last${enter}${ctrlD}`)
  expect(chat.printed).not.toContain('two words')
  gate.resolve()
  await chat.shows('on you.')
  await chat.shows('You said: two words')
  await chat.shows('You said: last')
  expect(await chat.exited()).toBe(0)
  const rows = iris.rows(
    'SELECT message, to_team AS team FROM turns JOIN team_sessions ON team_sessions.id = session ORDER BY sequence',
  )
  expect(rows.map(({ message, team }) => [message, team])).toEqual([
    ['slow', 'backend'],
    ['two words', 'backend'],
    ['last', 'frontend'],
  ])
})

test('the screen of a chat: what was said, what is being said, and what Ctrl-C asks', async () => {
  await using iris = await TestIris.start({ claude: 'either', script: thinks, teams })
  const at = { cwd: iris.world.root, env: environment(iris), columns: 80, rows: 24 }
  await using chat = new Terminal(`exec ${irisCommand} chat backend`, at)
  const greeting = 'You are talking with backend. Type /help for commands, or press Ctrl-D to end.'
  await chat.reads([greeting, 'backend>'])
  chat.press(`hello${enter}`)
  const said = [greeting, 'backend> hello', 'You said: hello']
  await chat.reads([...said, 'backend>'])
  chat.press(`think${enter}`)
  const asked = [...said, 'backend> think', 'It depends']
  await chat.reads(asked, (screen) => screen.filter((row) => !/^working \d+ s$/.test(row)))
  chat.press(ctrlC)
  const asking = ['│', '◆  The message is still being answered.']
  const help = ['│  ↑/↓ to navigate • Enter: confirm', '└']
  await chat.reads([...asked, ...asking, '│  ● Keep waiting', '│  ○ Cancel it', '│  ○ Leave it running', ...help])
  chat.press(down + enter)
  await chat.displays('error: The message was cancelled')
  await chat.displays(/\nbackend>\n/)
  chat.press(ctrlD)
  expect(await chat.exited()).toBe(0)
})

test('what an answer left running is said beside it, and cannot act on the terminal', async () => {
  const id = 'serve\u001b[2J'
  await using stage = await Stage.start({
    script: (file) => ({
      rules: [{ steps: [{ backgroundTask: { id, endsAfterFile: file('end') } }, { text: 'It is up.' }] }],
    }),
  })
  expect(await run(stage.iris, ['tell', 'backend', 'serve'])).toMatchObject({
    code: 0,
    stdout: 'It is up.\n',
    stderr: '(Left running when it answered: serve‹U+001B›[2J)\n',
  })
})
