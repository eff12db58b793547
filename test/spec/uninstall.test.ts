import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { fileTree } from '../support/file-tree.ts'
import { newcomer } from '../support/newcomer.ts'
import { Installation, irisCommand } from '../support/program.ts'
import { runCommand } from '../support/run-command.ts'
import { Terminal } from '../support/terminal.ts'

const [down, enter] = ['\u001b[B', '\r']
const agent = { IRIS_PROCESS: 'somebody.s' }

test('a directory that is not all Iris keeps is not purged, and says what is in the way', async () => {
  await using person = await newcomer({ hasClaude: false })
  const { iris, home, root } = person
  const purge = (env: Readonly<Record<string, string>> = {}) =>
    runCommand(iris.world, ['uninstall', '--purge', '--yes'], { env })
  writeFileSync(join(home, 'thesis.txt'), 'mine')
  const before = fileTree(root)
  expect(await purge()).toMatchObject({ code: 2, stderr: expect.stringContaining("not Iris's: thesis.txt") })
  mkdirSync(join(root, 'work/data'), { recursive: true })
  expect(await purge({ IRIS_HOME: join(root, 'work') })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("none of them is Iris's"),
  })
  expect(await purge({ IRIS_HOME: root })).toMatchObject({ code: 2, stderr: expect.stringContaining("are not Iris's") })
  symlinkSync(home, join(root, 'link'))
  expect(await purge({ IRIS_HOME: join(root, 'link') })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('link to'),
  })
  rmSync(join(root, 'link'))
  expect(fileTree(root)).toEqual(before)
})

test('purging needs --yes where nobody can be asked, shows first what it would do, and follows no link', async () => {
  await using person = await newcomer({ hasClaude: false })
  const { run, home, root } = person
  const elsewhere = join(root, 'disk')
  mkdirSync(elsewhere)
  writeFileSync(join(elsewhere, 'kept'), 'x')
  mkdirSync(join(home, 'data'))
  symlinkSync(elsewhere, join(home, 'data/transcripts'))
  symlinkSync(elsewhere, join(home, 'output_streams'))
  const store = join(root, 'disk/kept')
  writeFileSync(join(home, 'config.yaml'), `database:\n  path: ${store}\n`, { mode: 0o600 })
  const before = fileTree(root)
  expect(await run('uninstall', '--purge')).toMatchObject({ code: 2, stderr: expect.stringContaining('Add --yes') })
  expect((await run('uninstall', '--purge', '--yes', '--dry-run')).stdout).toContain(`Would remove ${home}`)
  expect(fileTree(root)).toEqual(before)
  const { code, stdout } = await run('uninstall', '--purge', '--yes')
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`${elsewhere}, where`) })
  expect(stdout).toContain(`The store is elsewhere and stays: ${store}.`)
  expect(existsSync(home)).toBe(false)
  expect(readFileSync(join(elsewhere, 'kept'), 'utf8')).toBe('x')
})

test('at a terminal it asks before it purges, and no means that nothing is changed', async () => {
  await using person = await newcomer({ hasClaude: false })
  const { iris, root, home } = person
  const command = `exec ${irisCommand} uninstall --purge`
  await using first = new Terminal(command, { cwd: root, env: iris.env })
  await first.shows('Continue?')
  first.press(enter)
  expect(await first.exited()).toBe(130)
  expect(existsSync(join(home, 'config.yaml'))).toBe(true)
  await using second = new Terminal(command, { cwd: root, env: iris.env })
  await second.shows('Continue?')
  second.press(down + enter)
  expect(await second.exited()).toBe(0)
  expect(existsSync(home)).toBe(false)
})

test('what is being answered is not ended unasked', async () => {
  await using iris = await Installation.create({ script: () => ({ stall: 'silent' }), teams: ['backend'] })
  await iris.startDaemon()
  const endpoint = { port: iris.daemon()!.port, token: iris.world.token() }
  await ask(endpoint, 'backend', 'think', { timeout: -1 })
  const working = async () => (await runCommand(iris.world, ['uninstall', '--dry-run'])).stdout
  await eventually(async () => (await working()).includes('working'), 'the message is at work')
  expect(await working()).toMatch(/backend from you: working[^]*Would stop Iris\./)
  expect(await runCommand(iris.world, ['uninstall'])).toMatchObject({
    code: 9,
    stderr: expect.stringContaining('Add --yes'),
  })
  expect((await runCommand(iris.world, ['status', '--json'])).stdout).toContain('"running":true')
})

test('the service of this IRIS_HOME goes with it, that of another one stays', async () => {
  await using person = await newcomer({ hasClaude: false })
  const { iris, root, home } = person
  const bin = join(root, 'bin')
  writeFileSync(join(bin, 'systemctl'), `#!/bin/sh\necho "$@" >>${join(root, 'asked')}\n`)
  chmodSync(join(bin, 'systemctl'), 0o755)
  await person.run('service', 'install', '--for', 'systemd')
  const unit = join(root, '.config/systemd/user/iris.service')
  const other = { IRIS_HOME: join(root, 'other'), PATH: `${bin}:/usr/bin:/bin` }
  mkdirSync(other.IRIS_HOME)
  expect((await runCommand(iris.world, ['uninstall'], { env: other })).stdout).not.toContain('service')
  expect(existsSync(unit)).toBe(true)
  expect((await person.run('uninstall', '--dry-run')).stdout).toContain(`Would remove the service, ${unit}.`)
  expect((await person.run('uninstall')).stdout).toContain(`Removed the service, ${unit}.`)
  expect(existsSync(unit)).toBe(false)
  expect(readFileSync(join(root, 'asked'), 'utf8')).toContain('--user disable --now iris.service')
  expect(existsSync(home)).toBe(true)
})

test.each([
  ['bash', '.bashrc', '# mine\n', '# mine too\n'],
  ['zsh', '.zshrc', '', ''],
  ['fish', '.config/fish/completions/iris.fish', '', ''],
])(
  'what iris completion %s --install wrote goes, and the rest of the file stays',
  async (shell, name, above, below) => {
    await using person = await newcomer({ hasClaude: false })
    const file = join(person.root, name)
    if (above !== '') writeFileSync(file, above)
    await person.run('completion', shell, '--install')
    if (below !== '') writeFileSync(file, below, { flag: 'a' })
    const before = readFileSync(file, 'utf8')
    expect((await person.run('uninstall', '--dry-run')).stdout).toContain(
      `Would remove the completion of iris from ${file}.`,
    )
    expect(readFileSync(file, 'utf8')).toBe(before)
    expect((await person.run('uninstall')).stdout).toContain(`Removed the completion of iris from ${file}.`)
    const left = existsSync(file) ? readFileSync(file, 'utf8') : undefined
    // The file of fish has nothing else in it.
    expect(left).toBe(shell === 'fish' ? undefined : above + below)
  },
)

test('a line that loads the completion but was written by hand is named, for the person to remove', async () => {
  await using person = await newcomer({ hasClaude: false })
  const file = join(person.root, '.bashrc')
  writeFileSync(file, 'eval "$(iris completion bash)"\n')
  expect((await person.run('uninstall')).stdout).toContain(`${file} loads the completion of iris`)
  expect(readFileSync(file, 'utf8')).toContain('iris completion')
})

test.each([[['install']], [['install', '--project']], [['uninstall']], [['uninstall', '--purge', '--yes']]])(
  'inside an agent %j is refused',
  async (args) => {
    await using person = await newcomer({ hasClaude: false })
    const before = fileTree(person.root)
    expect(await runCommand(person.iris.world, args, { env: agent })).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('error: This runs inside an agent of Iris'),
    })
    expect(fileTree(person.root)).toEqual(before)
  },
)

test('what Iris made in a project for the files of sessions goes, unless somebody has put something there', async () => {
  await using iris = await Installation.create({ teams: ['shop', 'web', 'old'] })
  const [shop, web, old] = ['shop', 'web', 'old'].map((team) => iris.world.directory(team))
  const elsewhere = join(iris.world.root, 'projects/elsewhere')
  for (const project of [shop!, web!, elsewhere]) {
    mkdirSync(join(project, '.claude/iris/mcp'), { recursive: true })
    writeFileSync(join(project, '.claude/iris/mcp/.gitignore'), '*\n')
  }
  writeFileSync(join(shop!, '.claude/settings.json'), '{}')
  writeFileSync(join(web!, '.claude/iris/mcp/mine'), '')
  symlinkSync(join(elsewhere, '.claude'), join(old!, '.claude'))
  expect((await runCommand(iris.world, ['uninstall', '--dry-run'])).stdout).toContain(
    `Would remove ${shop}/.claude/iris/mcp`,
  )
  expect((await iris.run(['uninstall'])).stdout.match(/^Removed .*$/gm)).toHaveLength(1)
  expect(existsSync(join(shop!, '.claude/iris'))).toBe(false)
  expect(Object.keys(fileTree(iris.world.root, (path) => !path.startsWith('projects/')))).toEqual([
    'projects/elsewhere/.claude/iris/mcp/.gitignore',
    'projects/old/.claude',
    'projects/shop/.claude/settings.json',
    'projects/web/.claude/iris/mcp/.gitignore',
    'projects/web/.claude/iris/mcp/mine',
  ])
})
