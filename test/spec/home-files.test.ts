import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TestIris } from '../support/iris.ts'
import { Installation } from '../support/program.ts'
import { runCommand } from '../support/run-command.ts'

test('a command waits for no file of the home that is a pipe or has no end', async () => {
  await using iris = await Installation.create({ claude: 'fake', teams: ['alpha'] })
  const at = (name: string): string => join(iris.world.home, name)
  execFileSync('mkfifo', [at('daemon.json'), at('token'), at('home.json'), at('owner')])
  expect(await runCommand(iris.world, ['status'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/not running/),
  })
  for (const name of ['daemon.json', 'token']) {
    rmSync(at(name))
    symlinkSync('/dev/zero', at(name))
  }
  expect(await runCommand(iris.world, ['status'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/not running/),
  })
  rmSync(at('daemon.json'))
  rmSync(at('token'))
  mkdirSync(join(iris.world.home, 'logs'), { recursive: true })
  execFileSync('mkfifo', [join(iris.world.home, 'logs/daemon.log')])
  // Without its own program to start, it would start the real one.
  const { code, stderr } = await iris.run(['ask', 'alpha', 'hi'])
  expect([code, stderr]).toEqual([1, expect.stringMatching(/daemon\.log cannot be used: it is not a regular file/)])
})

test('a daemon whose token is gone is not said to be stopped', async () => {
  await using iris = await TestIris.start({ claude: 'fake', teams: ['alpha'] })
  rmSync(join(iris.world.home, 'token'))
  const { code, stderr } = await runCommand(iris.world, ['ask', 'alpha', 'hi'])
  expect([code, stderr]).toEqual([8, expect.stringMatching(/token is missing\.\nRun "iris restart"/)])
  writeFileSync(join(iris.world.home, 'token'), 'two\nlines\n')
  const unusable = { code: 8, stderr: expect.stringMatching(/token holds no token\.\nRun "iris restart"/) }
  for (const words of [['ask', 'alpha', 'hi'], ['status'], ['token']])
    expect(await runCommand(iris.world, words)).toMatchObject(unusable)
})

test('a daemon whose daemon.json was removed is not said to be stopped', async () => {
  await using iris = await TestIris.start({ claude: 'fake', teams: ['alpha'] })
  rmSync(join(iris.world.home, 'daemon.json'))
  const unreachable = { code: 4, stderr: expect.stringMatching(/daemon\.json is missing or damaged\..*"kill \d+"/s) }
  const commands = [['stop'], ['status'], [], ['uninstall', '--purge', '--yes']]
  const endings = await Promise.all(commands.map((words) => runCommand(iris.world, words)))
  expect(endings).toMatchObject(commands.map(() => unreachable))
})

test.each([
  ['delete', 'external', 'alpha', '--thread', ''],
  ['ask', 'alpha', 'hi', '--from', ''],
  ['ask', 'alpha', 'hi', '--role', ''],
  ['ask', 'alpha', 'hi', '--attach', ''],
  ['add-team', ''],
])('an empty word is not taken for none: iris %s %s', async (...words) => {
  await using iris = await Installation.create({ claude: 'fake', teams: ['alpha'] })
  const ending = await runCommand(iris.world, words)
  expect(ending).toMatchObject({ code: 2, stderr: expect.stringMatching(/ is empty\.\nIs a variable of your shell/) })
})

test.each(['999d', '61m', '-5s'])('a wait that is not possible sends nothing: --timeout=%s', async (time) => {
  await using iris = await Installation.create({ claude: 'fake', teams: ['alpha'] })
  const ending = await runCommand(iris.world, ['ask', 'alpha', 'hi', `--timeout=${time}`])
  expect(ending).toMatchObject({ code: 2, stderr: expect.stringContaining('Nothing was sent') })
  expect(iris.daemon()).toBeUndefined()
})
