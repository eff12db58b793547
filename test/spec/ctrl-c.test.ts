import { expect, test } from 'vitest'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { obedient } from '../support/obedient.ts'
import { Installation, irisCommand, processesOf } from '../support/program.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { Terminal } from '../support/terminal.ts'

const ctrlC = '\u0003'

test('Ctrl-C at a terminal ends chat and permissions with 130, and answers nothing', async () => {
  await using iris = await Installation.create({ claude: 'either', script: obedient, teams: ['frontend', 'backend'] })
  await iris.startDaemon()
  const terminal = (command: string) =>
    new Terminal(`exec ${irisCommand} ${command}`, { cwd: iris.world.root, env: { ...iris.env } })

  await using chat = terminal('chat backend')
  await chat.shows('backend>')
  chat.press(ctrlC)
  expect(await chat.exited()).toBe(130)

  const endpoint = { port: iris.daemon()!.port, token: iris.world.token() }
  const answered = ask(endpoint, 'backend', 'run touch made', { fromTeam: 'frontend' })
  const waiting = () => iris.rows(`SELECT id FROM permissions WHERE state = 'pending'`)
  const [question] = await eventually(() => (waiting().length > 0 ? waiting() : undefined), 'a question')
  await using permissions = terminal('permissions')
  await permissions.shows('May backend use Bash?')
  permissions.press(ctrlC)
  expect(await permissions.exited()).toBe(130)
  expect(waiting()).toEqual([question])
  expect(await iris.run(['deny', String(question!['id'])])).toMatchObject({ code: 0 })
  expect(await answered).toMatchObject({ status: 'completed' })
})

/** How a demo ends by Ctrl-C once it shows this, and what it left running. */
async function endOf(command: string, shown: string) {
  using scratch = scratchDirectory()
  const env = { PATH: '/usr/bin:/bin', TMPDIR: scratch.path }
  await using demo = new Terminal(`exec ${irisCommand} ${command}`, { cwd: scratch.path, env })
  await demo.shows(shown)
  demo.press(ctrlC)
  await demo.shows('Interrupted: ending everything that was started.')
  return { code: await demo.exited(), running: processesOf(scratch.path) }
}

test('Ctrl-C at a terminal ends the demo with 130 and leaves nothing running', { timeout: 90_000 }, async () => {
  expect(await endOf('demo', 'frontend asks')).toEqual({ code: 130, running: [] })
})

test.each([
  ['demo --channels', 'The owner types'],
  ['cluster demo', 'frontend asks'],
])('so it ends %s', { timeout: 90_000, tags: ['thorough'] }, async (command, shown) => {
  expect(await endOf(command, shown)).toEqual({ code: 130, running: [] })
})
