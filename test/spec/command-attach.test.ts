import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { irisCommand, Program } from '../support/program.ts'
import { claudeBinary } from '../support/real-claude.ts'
import { asUsedBefore, Terminal } from '../support/terminal.ts'
import { spoken } from '../support/world.ts'

/** Answers with everything that was ever said in this conversation, by hand too. */
const remembers =
  (gate: Promise<unknown>): Script =>
  ({ conversation: { userTexts } }) => {
    const texts = userTexts.map(spoken).filter((text) => !text.startsWith('<'))
    const heard = `heard: ${texts.join(' | ')}`
    return texts.at(-1) === 'slow' ? { stream: heldText('wait', gate, heard) } : { text: heard }
  }

const start = async (gate: Promise<unknown> = Promise.resolve()) => {
  const iris = await TestIris.start({
    claude: 'fake',
    script: remembers(gate),
    settings: { claudePath: claudeBinary('2.1.330') },
  })
  asUsedBefore(join(iris.world.root, '.claude.json'), iris.world.directory('backend'))
  const env = { ...iris.world.env, IRIS_HOME: iris.world.home }
  const terminal = (command: string) => new Terminal(`exec ${irisCommand} ${command}`, { cwd: iris.world.root, env })
  return { iris, terminal, env, [Symbol.asyncDispose]: () => iris[Symbol.asyncDispose]() }
}

test('with the real Claude Code: a person takes the conversation over in their terminal and hands it back', async () => {
  await using stage = await start()
  const { iris, terminal } = stage
  const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam: 'frontend' })
  await using person = terminal('attach frontend backend')
  await person.shows('frontend→backend is yours until you leave it with /exit')
  await person.shows('❯')
  await iris.event('session-held')
  const two = ask(iris, 'backend', 'two', { fromTeam: 'frontend' })
  await person.type('by hand')
  await person.shows('one | by hand')
  await person.type('/exit')
  await person.shows('Iris has it back. What you said is part of the conversation.')
  expect(await person.exited()).toBe(0)
  expect(await two).toMatchObject({ response: 'heard: one | by hand | two', sessionId })
})

test('a message that is being answered ends first, and the person sees its answer', async () => {
  const gate = Promise.withResolvers<void>()
  await using stage = await start(gate.promise)
  const { iris, terminal } = stage
  const slow = ask(iris, 'backend', 'slow', { fromTeam: 'frontend' })
  await iris.event('turn-delivered')
  await using person = terminal('attach frontend backend')
  await person.shows('is being answered; you get the conversation afterwards')
  gate.resolve()
  expect(await slow).toMatchObject({ status: 'completed' })
  await person.shows('heard: slow')
  await person.shows('❯')
  await iris.event('session-held')
  await person.type('/exit')
  await person.shows('Iris has it back')
  expect(await person.exited()).toBe(0)
})

test('with the account of its team, a person takes it over with that login and no other', async () => {
  const script: Script = ({ headers, conversation: { lastUserText } }) => ({
    text: `${spoken(lastUserText)} was asked with ${headers.authorization ?? headers['x-api-key']}`,
  })
  await using iris = await TestIris.start({
    claude: 'fake',
    script,
    settings: { claudePath: claudeBinary('2.1.330') },
    teams: ['backend'],
  })
  asUsedBefore(join(iris.world.root, '.claude.json'), iris.world.directory('backend'))
  const tokenFile = join(iris.world.root, 'work.token')
  writeFileSync(tokenFile, 'sk-ant-oat01-work', { mode: 0o600 })
  const reloaded = iris.event('config-reloaded')
  iris.world.writeConfig({
    settings: { claudePath: claudeBinary('2.1.330') },
    teams: { frontend: {}, backend: { account: { tokenFile } } },
  })
  await reloaded
  expect(await ask(iris, 'backend', 'one', { fromTeam: 'frontend' })).toMatchObject({
    response: 'one was asked with Bearer sk-ant-oat01-work',
  })
  const env = { ...iris.world.env, IRIS_HOME: iris.world.home }
  const { stdout } = await new Program(['attach', 'frontend', 'backend', '--json'], { cwd: iris.world.root, env }).ended
  expect(JSON.parse(stdout)).toMatchObject({ tokenFile, env: { ANTHROPIC_API_KEY: '' } })
  expect(stdout).not.toContain('sk-ant-oat01-work')
  await using person = new Terminal(`exec ${irisCommand} attach frontend backend`, { cwd: iris.world.root, env })
  await person.shows('❯')
  await person.type('who?')
  await person.shows('who? was asked with Bearer sk-ant-oat01-work')
})

test('without a conversation, a terminal or the owner there is nothing to take over', async () => {
  await using stage = await start()
  const { iris, terminal, env } = stage
  await using nobody = terminal('attach frontend mobile')
  await nobody.shows('frontend→mobile has no conversation to open: they have never spoken.')
  expect(await nobody.exited()).toBe(8)
  const run = (more: object) =>
    new Program(['attach', 'frontend', 'backend'], { cwd: iris.world.root, env: { ...env, ...more } }).ended
  expect(await run({})).toMatchObject({ code: 2, stderr: expect.stringContaining('You need a terminal') })
  await using inside = new Terminal(`exec ${irisCommand} attach frontend backend`, {
    cwd: iris.world.root,
    env: { ...env, IRIS_PROCESS: 'somebody.s' },
  })
  await inside.shows('This runs inside an agent of Iris')
})

test('for a program it starts nothing, and says what to start and where', async () => {
  await using stage = await start()
  const { iris, env } = stage
  const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam: 'frontend' })
  const program = new Program(['attach', 'frontend', 'backend', '--json'], { cwd: iris.world.root, env })
  const { code, stdout } = await program.ended
  expect({ code, told: JSON.parse(stdout) }).toMatchObject({
    code: 0,
    told: { sessionId, directory: iris.world.directory('backend'), command: expect.arrayContaining([sessionId]) },
  })
})
