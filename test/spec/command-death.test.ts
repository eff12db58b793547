import { expect, test } from 'vitest'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { eventually } from '../support/eventually.ts'
import { Installation, irisCommand } from '../support/program.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { Terminal } from '../support/terminal.ts'
import { spoken } from '../support/world.ts'

/** The first answer never ends; what is asked after that is answered. */
function answersSecond(): Script {
  let asked = 0
  return ({ conversation: { lastUserText } }) => {
    asked += 1
    return asked === 1
      ? { stream: heldText('It depends', new Promise(() => {}), '') }
      : { text: `answered: ${spoken(lastUserText).slice(0, 20)}` }
  }
}

async function killed(installation: Installation): Promise<void> {
  await eventually(() => installation.world.model.requests.turns > 0, 'the model is asked')
  process.kill(installation.daemon()!.pid, 'SIGKILL')
}

test.each(claudeVersions)('%s: tell goes on after kill -9 of the daemon: it starts another one', async (version) => {
  const settings = { claudePath: claudeBinary(version) }
  await using installation = await Installation.create({ script: answersSecond(), settings, teams: ['backend'] })
  await installation.startDaemon()
  const tell = installation.start(['tell', 'backend', 'think'])
  tell.child.stdin.end()
  await killed(installation)
  const { code, stdout, stderr } = await tell.ended
  expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: expect.stringContaining('answered: ') })
  expect(stderr).toBe(`Iris had ended unexpectedly; it was started again (pid ${installation.daemon()?.pid}).\n`)
})

test('a chat says that Iris is gone, goes on with another daemon, and takes a line after "iris stop"', async () => {
  await using installation = await Installation.create({
    claude: 'fake',
    script: answersSecond(),
    teams: ['backend'],
  })
  const { world, env } = installation
  await installation.startDaemon()
  await using chat = new Terminal(`exec ${irisCommand} chat backend`, { cwd: world.root, env })
  await chat.shows('backend>')
  chat.press('think\r')
  await killed(installation)
  await chat.shows('Iris is not responding; waiting for it')
  await chat.shows('it was started again')
  await chat.shows('answered: ')
  expect(await installation.run(['stop'])).toMatchObject({ code: 0 })
  chat.press('once more\r')
  await chat.shows('Iris was not running; it was started')
  await chat.shows('answered: once more')
})

test('a tell that is ended by SIGTERM says how to collect its answer, also one to several teams', async () => {
  const teams = ['frontend', 'backend']
  const script: Script = () => ({ stream: heldText('It depends', new Promise(() => {}), '') })
  await using installation = await Installation.create({ claude: 'fake', script, teams })
  const { requests } = installation.world.model
  await installation.startDaemon()
  const told = ['frontend', 'backend', 'frontend,backend'].map((to, index) => {
    const tell = installation.start(['tell', to, 'think', '--thread', `t${index}`])
    tell.child.stdin.end()
    return tell
  })
  await eventually(() => requests.turns > 3, 'all are at work')
  for (const { child } of told) child.kill('SIGTERM')
  const [one, two, both] = await Promise.all(told.map(({ ended }) => ended))
  const collect = 'It is still running. Collect the answer with "iris result [0-9a-f]{8}".\n'
  for (const ended of [one, two]) {
    expect(ended).toMatchObject({ code: 143, stderr: expect.stringMatching(new RegExp(`^${collect}$`)) })
  }
  expect(both?.code).toBe(143)
  expect(both?.stderr).toMatch(new RegExp(`frontend: ${collect}`))
  expect(both?.stderr).toMatch(new RegExp(`backend: ${collect}`))
})
