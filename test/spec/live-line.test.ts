import { expect, test } from 'vitest'
import { irisCommand, Program } from '../support/program.ts'
import { Stage } from '../support/stage.ts'
import { Terminal } from '../support/terminal.ts'

test('at a terminal a line says how the message stands until the answer is there, and nothing of it stays', async () => {
  await using stage = await Stage.start({
    teams: ['backend'],
    script: (file) => ({
      startDelayMs: 1000,
      rules: [
        {
          when: 'first',
          steps: [
            { tool: { name: 'Read', input: { file_path: 'src/api.ts' }, during: [{ waitForFile: file('go') }] } },
            { text: 'An order has a number.' },
          ],
        },
      ],
    }),
  })
  const { world } = stage.iris
  const at = { cwd: world.root, env: { ...world.env, IRIS_HOME: world.home } }
  await using first = new Terminal(`exec ${irisCommand} tell backend first`, at)
  await first.shows('asking backend')
  await first.shows('waking backend')
  await first.displays(/^working \d+ s, Read src\/api\.ts$/m)
  await using second = new Terminal(`exec ${irisCommand} tell backend second`, at)
  await second.displays('queued (1 ahead of you)')
  const piped = new Program(['tell', 'backend', 'third'], at)
  await stage.iris.event('turn-accepted', ({ ahead }) => ahead === 2)
  stage.fake.open('go')
  expect([await first.exited(), await second.exited()]).toEqual([0, 0])
  const tidied = (screen: readonly string[]): readonly string[] =>
    screen.map((row) => row.replace(/^iris why [0-9a-f]{8}$/, 'iris why <id>'))
  await first.reads(['An order has a number.', 'iris why <id>'], tidied)
  await second.reads(['echo: </iris-message>', 'iris why <id>'], tidied)
  expect(await piped.ended).toMatchObject({ code: 0, stdout: 'echo: </iris-message>\n', stderr: '' })
})
