import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { runCommand } from '../support/run-command.ts'
import { scratchDirectory } from '../support/scratch.ts'

test('teams, threads and messages are completed with a daemon and without one, and nothing inside an agent', async () => {
  await using iris = await TestIris.start({ claude: 'fake', teams: ['frontend', 'backend'] })
  const { turnId } = await ask(iris, 'backend', 'hello', { thread: 'review' })
  const complete = async (words: string, env = {}) =>
    (await runCommand(iris.world, ['__complete', ...words.split(' ')], { env })).stdout.split('\n').filter(Boolean)
  const check = async (): Promise<void> => {
    expect(await complete('tell b')).toEqual(['backend'])
    expect(await complete('tell backend --from ')).toEqual(['backend', 'external', 'frontend'])
    expect(await complete('tell backend --thread ')).toEqual(['review'])
    for (const words of ['why', 'result', 'trace', 'retry', 'stop --tree'])
      expect(await complete(`${words} `)).toContain(turnId.slice(0, 8))
  }
  await check()
  const inAgent = { IRIS_PROCESS: 'x' }
  for (const words of ['tell ', 'tell backend --from ', 'tell backend --thread ', 'stop --tree '])
    expect(await complete(words, inAgent)).toEqual(words === 'tell backend --from ' ? ['external'] : [])
  await iris.daemon.stop(0)
  await check()
  expect(existsSync(join(iris.world.home, 'daemon.json'))).toBe(false)
  writeFileSync(join(iris.world.home, 'config.yaml'), 'teams: [')
  expect(await complete('why ')).toContain(turnId.slice(0, 8))
  expect(await complete('tell ')).toEqual([])
})

test.each([
  ['bash', '.bashrc'],
  ['zsh', '.zshrc'],
  ['fish', '.config/fish/completions/iris.fish'],
])('iris completion %s --install has the shell load it once, with the path of a clone', async (shell, file) => {
  using scratch = scratchDirectory()
  const { path } = scratch
  const world = { env: { HOME: path, PATH: '/usr/bin:/bin' }, home: join(path, 'iris'), root: path }
  if (shell !== 'fish') writeFileSync(join(path, file), '# mine')
  const installed = await runCommand(world, ['completion', shell, '--install'])
  expect(installed).toMatchObject({ code: 0, stdout: expect.stringContaining(join(path, file)) })
  const text = readFileSync(join(path, file), 'utf8')
  expect(text).toContain(join(import.meta.dirname, '../../iris'))
  expect(text.startsWith('# mine\n')).toBe(shell !== 'fish')
  const again = await runCommand(world, ['completion', shell, '--install', '--json'])
  expect(JSON.parse(again.stdout)).toEqual({ shell, file: join(path, file), changed: false })
  expect(readFileSync(join(path, file), 'utf8')).toBe(text)
  mkdirSync(join(path, 'iris'))
  writeFileSync(join(path, 'iris', 'config.yaml'), '')
  const inAgent = await runCommand(world, ['completion', shell, '--install'], { env: { IRIS_PROCESS: 'x' } })
  expect(inAgent).toMatchObject({ code: 7, stderr: expect.stringContaining('change the files of your shell') })
})
