import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { refuseMistakes } from '../../src/app/cli/daemon-control.ts'
import { Installation } from '../support/program.ts'
import { runCommand } from '../support/run-command.ts'

const text = `# mine
settings:
  httpPort: 0 # any
  env:
    API_TOKEN: very-secret-text
teams:
  # the one
  alpha:
    path: PATH/alpha
  # about docs
  docs:
    path: PATH/docs
    model: haiku
  # the last
`

async function world() {
  const iris = await Installation.create({ teams: ['alpha', 'docs'] })
  const file = join(iris.world.home, 'config.yaml')
  const before = text.replaceAll('PATH', join(iris.world.directory('alpha'), '..'))
  writeFileSync(file, before, { mode: 0o600 })
  const run = (...words: string[]) => runCommand(iris.world, ['config', ...words])
  const now = (): string => readFileSync(file, 'utf8')
  return { iris, before, file, run, now, [Symbol.asyncDispose]: () => iris[Symbol.asyncDispose]() }
}

test('a team or a section goes only by unset, and only when somebody agrees', async () => {
  await using at = await world()
  const { run, now, before } = at
  for (const key of ['teams', 'teams.docs', 'settings']) {
    expect(await run('set', key)).toMatchObject({ code: 2, stderr: expect.stringContaining(`config unset ${key}`) })
    expect(await run('set', key, '{}')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
    expect(await run('set', key, 'null')).toMatchObject({ code: 2 })
    expect(await run('unset', key)).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  }
  expect(now()).toBe(before)
  expect(await run('unset', 'teams.docs', '--yes')).toMatchObject({ code: 0 })
  expect(now()).not.toContain('docs:')
  for (const comment of ['# mine', '# any', '# the one', '# about docs', '# the last']) expect(now()).toContain(comment)
  expect(await run('unset', 'teams', '--yes')).toMatchObject({ code: 0 })
  expect(now()).toContain('teams: {}')
  expect(now()).toContain('# mine')
})

test('what Iris changed last can be taken back, and that too', async () => {
  await using at = await world()
  const { run, now, before, file } = at
  expect(await run('undo')).toMatchObject({ code: 8 })
  await run('unset', 'teams.docs', '--yes')
  const without = now()
  expect(statSync(`${file}.before`).mode & 0o777).toBe(0o600)
  expect(await run('undo')).toMatchObject({ code: 0 })
  expect(now()).toBe(before)
  expect(await run('undo', '--json')).toMatchObject({ code: 0, stdout: `${JSON.stringify({ undone: true, file })}\n` })
  expect(now()).toBe(without)
  await runCommand(at.iris.world, ['remove-team', 'alpha'])
  expect(now()).not.toContain('alpha:')
  await run('undo')
  expect(now()).toBe(without)
})

test('config undo takes nothing back that somebody edited since, unless that is meant', async () => {
  await using at = await world()
  const { run, now, before, file } = at
  await run('set', 'settings.maxProcesses', '5')
  writeFileSync(file, `${now()}# by hand\n`)
  const edited = now()
  expect(await run('undo')).toMatchObject({ code: 2, stderr: expect.stringContaining('was edited after') })
  expect(now()).toBe(edited)
  expect(await run('undo', '--yes')).toMatchObject({ code: 0 })
  expect(now()).toBe(before)
  expect(await run('undo')).toMatchObject({ code: 0 })
  expect(now()).toBe(edited)
  writeFileSync(`${file}.before`, '')
  expect(await run('undo', '--yes')).toMatchObject({ code: 8 })
  rmSync(`${file}.before`)
  mkdirSync(`${file}.before`)
  expect((await run('undo')).stderr).toContain(`${file}.before cannot be used`)
  expect(await run('set', 'settings.maxProcesses', '6')).toMatchObject({ code: 1 })
  expect(now(), 'what is said to have failed has changed nothing').toBe(edited)
})

test('a key that shares its value by an anchor changes alone, and every other line stays', async () => {
  await using at = await world()
  const { run, now, before, file } = at
  const shared = before
    .replace('API_TOKEN: very-secret-text', 'API_TOKEN: very-secret-text\n    PIN: 010')
    .replace('/alpha\n', '/alpha\n    env: &e { A: one, B: two }\n')
    .replace('model: haiku', 'env: *e')
  writeFileSync(file, shared)
  expect((await run('get', 'teams.docs.env.A')).stdout).toContain('(kept)')
  expect(await run('set', 'teams.docs.env.A', 'three')).toMatchObject({ code: 0 })
  expect(now()).toBe(shared.replace('*e', '{ A: three, B: two }'))
  writeFileSync(file, shared)
  expect(await run('unset', 'teams.alpha.env', '--yes')).toMatchObject({ code: 0 })
  expect(now()).toBe(shared.replace(/ {4}env: &e.*\n/, '').replace('*e', '{ A: one, B: two }'))
})

test('config get prints one key without its secrets, and says when it is not set', async () => {
  await using at = await world()
  const { run, now, before } = at
  expect(await run('get', 'teams.docs.model')).toMatchObject({ code: 0, stdout: 'haiku\n' })
  expect((await run('get', 'teams')).stdout).toContain('alpha:\n  path: ')
  const secret = await run('get', 'settings.env')
  expect(secret.stdout).toContain('API_TOKEN: ')
  expect(secret.stdout).not.toContain('very-secret-text')
  expect(await run('get', 'settings.maxProcesses')).toMatchObject({
    code: 0,
    stdout: "config.yaml doesn't set settings.maxProcesses. Its default is 10.\n",
  })
  expect(JSON.parse((await run('get', 'settings.httpPort', '--json')).stdout)).toEqual({
    key: 'settings.httpPort',
    value: 0,
  })
  for (const key of ['nothing', 'teams.nobody.model'])
    expect(await run('get', key)).toMatchObject({ code: 8, stdout: '' })
  expect(now()).toBe(before)
})

test('with a mistake in config.yaml nothing is ended that could not start again', async () => {
  await using at = await world()
  const { iris, file } = at
  await iris.startDaemon()
  const running = async () => JSON.parse((await runCommand(iris.world, ['status', '--json'])).stdout).pid
  const pid = await running()
  writeFileSync(file, 'teams: a mistake')
  const refused = { code: 3, stderr: expect.stringContaining('Nothing was stopped') }
  expect(await runCommand(iris.world, ['restart'])).toMatchObject(refused)
  expect(await runCommand(iris.world, ['service', 'install', '--for', 'systemd'])).toMatchObject(refused)
  for (const lose of [() => rmSync(file), () => writeFileSync(file, '')]) {
    lose()
    const { code, stderr } = await runCommand(iris.world, ['restart'])
    expect([code, stderr]).toEqual([3, expect.stringMatching(/with (all the teams|no team left) in it/)])
    expect(stderr).toContain('Nothing was stopped')
    const validated = await runCommand(iris.world, ['config', 'validate'])
    expect([validated.code, validated.stderr]).toEqual([3, expect.stringContaining('still uses the teams')])
  }
  expect(await running()).toBe(pid)
  // Without teams, nothing is lost with the file.
  rmSync(file)
  await refuseMistakes(iris.world.home, iris.world.env, { teams: [] })
})

test('config validate says that there is no file, and does not call it in order', async () => {
  await using at = await world()
  const { run, file } = at
  rmSync(file)
  expect((await run('validate')).stdout).toBe(
    `There is no ${file}. Iris works without it, with the defaults and no teams.\n`,
  )
  expect(JSON.parse((await run('validate', '--json')).stdout)).toEqual({
    valid: true,
    file,
    exists: false,
    teams: [],
  })
})

test('config set says in words what is no YAML, and in an environment keeps what is written', async () => {
  await using at = await world()
  const { run, now, before } = at
  for (const value of ['*name', '!!js/function x', '{a: 1, a: 2}', ': : :', '&a [*a]']) {
    const ending = await run('set', 'settings.env.PIN', value)
    expect(ending).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: The value for settings\.env\.PIN is not/),
    })
  }
  expect(now()).toBe(before)
  await run('set', 'settings.env.PIN', '0010')
  await run('set', 'teams.alpha.env', '{UMASK: 0022, BIG: 1e400, ON: true}')
  expect(now()).toMatch(/PIN: "0010"/)
  expect(now()).toMatch(/UMASK: "0022"\n +BIG: "1e400"\n +ON: "true"/)
})

test('config get claims nothing about a file that cannot be read, and unset says what is gone', async () => {
  await using at = await world()
  const { run, file, before } = at
  expect(await run('unset', 'teams.docs', '--yes')).toMatchObject({ code: 0, stdout: 'teams.docs is removed.\n' })
  writeFileSync(file, `${before}\n- no YAML: [`)
  expect(await run('get', 'settings.maxProcesses')).toMatchObject({ code: 3, stdout: '' })
  rmSync(file)
  mkdirSync(file)
  expect(await run('get', 'teams')).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringMatching(/is not a file/),
  })
})
