import { afterAll, beforeAll, expect, test } from 'vitest'
import { overloadedFailure, type Script } from '../../src/app/demo/script.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { irisCommand } from '../support/program.ts'
import { runAtTerminal, runCommand } from '../support/run-command.ts'
import { Terminal } from '../support/terminal.ts'
import { spoken } from '../support/world.ts'

const script: Script = ({ conversation: { lastUserText } }) => {
  const said = spoken(lastUserText)
  return said === 'fails' && isBroken ? overloadedFailure : { text: `You said: ${said}` }
}
let isBroken = true

let iris: TestIris
let frontend: string
beforeAll(async () => {
  iris = await TestIris.start({
    claude: 'fake',
    script,
    teams: { frontend: {}, backend: { env: { CLAUDE_CODE_MAX_RETRIES: '0' } } },
  })
  frontend = iris.world.directory('frontend')
})
afterAll(() => iris[Symbol.asyncDispose]())

test('at a terminal why, trace and result without an id take the newest message of this directory', async () => {
  const { turnId: older } = await ask(iris, 'backend', 'the older one')
  const { turnId: own } = await ask(iris, 'backend', 'my own')
  const { turnId: ofTeam } = await ask(iris, 'backend', 'of the team', { fromTeam: 'frontend' })
  for (const command of ['why', 'trace', 'result']) {
    const mine = await runAtTerminal(iris.world, [command], 100)
    expect(mine).toContain(`${own.slice(0, 8)}  you→backend  my own`)
    expect(mine).not.toContain(older.slice(0, 8))
    const its = await runAtTerminal(iris.world, [command], 100, { cwd: frontend })
    expect(its).toContain(`${ofTeam.slice(0, 8)}  frontend→backend  of the team`)
  }
  expect(await runAtTerminal(iris.world, ['result'], 100)).toContain('You said: my own')
})

test('without a terminal, and inside an agent, the id must be given', async () => {
  for (const command of ['why', 'trace', 'result', 'retry'])
    expect(await runCommand(iris.world, [command])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('error: No message was named.'),
    })
  const inside = await runAtTerminal(iris.world, ['why'], 100, { env: { IRIS_PROCESS: 'x' } })
  expect(inside).toContain('error: No message was named.')
})

test('tell at a terminal ends with the command that explains the answer; for programs and in agents it does not', async () => {
  const [escape, dim, plain] = ['\u001b', '\u001b[2m', '\u001b[22m']
  const shown = await runAtTerminal(iris.world, ['tell', 'backend', 'hello'], 100)
  expect(shown).toMatch(new RegExp(`You said: hello[^]*${escape}\\[2miris why [0-9a-f]{8}${escape}\\[22m\n$`))
  const own = await runAtTerminal(iris.world, ['tell', 'backend', 'hello'], 100, { cwd: frontend })
  expect(own).toContain(
    `${dim}You speak as frontend, the team of this directory. Use --from you to speak as yourself.${plain}\n`,
  )
  for (const words of [['--json'], ['--async']])
    expect(await runAtTerminal(iris.world, ['tell', 'backend', 'hello', ...words], 100)).not.toContain('iris why')
  expect(await runAtTerminal(iris.world, ['tell', 'backend', 'hi'], 100, { env: { NO_COLOR: '1' } })).toMatch(
    /\niris why [0-9a-f]{8}\n$/,
  )
  expect(await runCommand(iris.world, ['tell', 'backend', 'hello'])).toMatchObject({ code: 0, stderr: '' })
})

test('retry without an id asks about the newest message that failed, and sends it only after a yes', async () => {
  expect(await runAtTerminal(iris.world, ['retry'], 100)).toContain('error: No message sent from this directory')
  const { turnId, status } = await ask(iris, 'backend', 'fails')
  expect(status).toBe('failed')
  await ask(iris, 'backend', 'works')
  isBroken = false
  const env = { ...iris.world.env, IRIS_HOME: iris.world.home }
  const terminal = () => new Terminal(`exec ${irisCommand} retry`, { cwd: iris.world.root, env })
  {
    await using screen = terminal()
    await screen.shows(`Send it once more? ${turnId.slice(0, 8)} you→backend fails`)
    screen.press('\r')
    expect(await screen.exited()).toBe(0)
    expect(screen.printed).not.toContain('You said')
  }
  await using screen = terminal()
  await screen.shows('Send it once more?')
  screen.press('\u001b[B\r')
  await screen.shows('You said: fails')
})
