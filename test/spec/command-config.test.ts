import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { eventually } from '../support/eventually.ts'
import { Installation } from '../support/program.ts'
import { runCommand } from '../support/run-command.ts'

const configOf = (iris: Installation): string => join(iris.world.home, 'config.yaml')
const textOf = (iris: Installation): string => readFileSync(configOf(iris), 'utf8')

function project(iris: Installation, name: string, files: Readonly<Record<string, string>> = {}): string {
  const directory = join(iris.world.root, name)
  mkdirSync(directory, { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(directory, file), text)
  return directory
}

test('add-team makes a config.yaml, and names and describes the team after its project', async () => {
  await using iris = await Installation.create()
  rmSync(configOf(iris))
  const readme = '---\nx: y\n---\n# Shop\n\n![logo](x.png)\n\nThe **shop** API: orders, and prices. More.\n'
  const directory = project(iris, 'my shop', { 'README.md': readme })
  const { code, stdout } = await iris.run(['add-team'], { cwd: directory })
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(`Added my-shop (${directory})`) })
  expect(textOf(iris)).toBe(
    'teams:\n  my-shop:\n    path: ~/my shop\n    description: "The shop API: orders, and prices."\n',
  )
  expect(await runCommand(iris.world, ['add-team', directory])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('already'),
  })
  expect(await iris.run(['config', 'validate'])).toMatchObject({ code: 0, stdout: expect.stringContaining('my-shop') })
  const inHome = await runCommand(iris.world, ['add-team', iris.world.home])
  expect(inHome).toMatchObject({ code: 0, stderr: expect.stringContaining('see its credentials') })
})

test('add-team asks for another name where that of the directory can be none, and says why', async () => {
  await using iris = await Installation.create()
  for (const [directory, why] of [
    ['you', 'No team can have the name you: Iris uses it for a person who asks from no team.'],
    ['ß', '"" is not a valid name for a team: a team name is 1 to 100 letters'],
  ] as const) {
    const path = project(iris, directory)
    const { code, stderr } = await runCommand(iris.world, ['add-team', path])
    expect(code).toBe(2)
    expect(stderr).toContain(why)
    expect(stderr).toContain(`iris add-team ${path} --name <name>`)
  }
})

test('a search for nothing is refused: a variable of the shell was not set', async () => {
  await using iris = await Installation.create()
  expect(await runCommand(iris.world, ['search', ''])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is empty'),
  })
})

test('add-team writes what reaches another machine, and looks up nothing here', async () => {
  await using iris = await Installation.create()
  rmSync(configOf(iris))
  const words = ['add-team', '--remote', 'ssh inanna']
  expect(await runCommand(iris.world, [...words, '/opt/containers'])).toMatchObject({ code: 0 })
  expect(textOf(iris)).toBe('teams:\n  containers:\n    remote: ssh inanna\n    path: /opt/containers\n')
  const again = await runCommand(iris.world, [...words, '/opt/containers'])
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('already') })
  expect(await runCommand(iris.world, words)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('. is not an absolute path'),
  })
  const attack = await runCommand(iris.world, ['add-team', '--remote', 'ssh -oProxyCommand=id inanna', '/opt/x'])
  expect(attack).toMatchObject({ code: 3, stderr: expect.stringContaining('ProxyCommand') })
})

test('comments stay, mistakes are not written, and a running daemon takes it up', async () => {
  await using iris = await Installation.create({ teams: ['backend'] })
  const begins = '# mine\nsettings:\n  httpPort: 0\n  # at once\n  maxProcesses: 3 # few\n'
  const team = `  # the API\n  backend:\n    path: ${iris.world.directory('backend')}\n`
  writeFileSync(configOf(iris), `${begins}teams:\n${team}`, { mode: 0o600 })
  await iris.startDaemon()
  const shop = project(iris, 'shop', { 'CLAUDE.md': 'Sells things for ${money}.' })
  await runCommand(iris.world, ['add-team', shop, '--name', 'store'])
  const set = await iris.run(['config', 'set', 'settings.maxProcesses', '5', '--json'])
  expect(JSON.parse(set.stdout)).toEqual({ key: 'settings.maxProcesses', value: 5 })
  const added = '  store:\n    path: ~/shop\n    description: Sells things for $${money}.\n'
  const after = `${begins.replace('3 # few', '5 # few')}teams:\n${team}${added}`
  expect(textOf(iris)).toBe(after)
  const status = async () => JSON.parse((await runCommand(iris.world, ['status', '--json'])).stdout)
  const taken = async () => {
    const { teams, pool } = await status()
    return teams.length === 2 && pool.maxProcesses === 5 ? teams : undefined
  }
  expect(await eventually(taken, 'the daemon has both changes')).toMatchObject([{}, { name: 'store' }])

  const wrong = await runCommand(iris.world, ['config', 'set', 'settings.maxProcesses', 'many'])
  expect(wrong).toMatchObject({ code: 3, stderr: expect.stringContaining('settings.maxProcesses') })
  expect(await runCommand(iris.world, ['add-team', join(shop, 'nowhere')])).toMatchObject({ code: 2 })
  expect(await runCommand(iris.world, ['add-team', project(iris, 'x/backend')])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('A team named backend already exists'),
  })
  expect(textOf(iris)).toBe(after)

  await runCommand(iris.world, ['config', 'unset', 'settings.maxProcesses'])
  expect(await iris.run(['remove-team', 'store'])).toMatchObject({ code: 0 })
  expect(await runCommand(iris.world, ['remove-team', 'store'])).toMatchObject({
    code: 8,
    stderr: expect.stringContaining('backend'),
  })
  expect(textOf(iris)).toBe(`# mine\nsettings:\n  httpPort: 0\n  # at once\nteams:\n${team}`)
})

test('config show names what stands in the place of the file, and waits for nothing', async () => {
  await using iris = await Installation.create()
  rmSync(configOf(iris))
  execFileSync('mkfifo', [configOf(iris)])
  const refused = { code: 3, stderr: expect.stringContaining('config.yaml is not a file') }
  expect(await runCommand(iris.world, ['config', 'show'])).toMatchObject(refused)
  rmSync(configOf(iris))
  mkdirSync(configOf(iris))
  expect(await runCommand(iris.world, ['config', 'show'])).toMatchObject(refused)
})

test('config show keeps secrets to itself, and config edit goes through the editor of the person', async () => {
  await using iris = await Installation.create({ teams: ['backend'] })
  writeFileSync(configOf(iris), `settings:\n  env:\n    API_TOKEN: very-secret-text\n`, { mode: 0o600 })
  const shown = await iris.run(['config', 'show'])
  expect(shown.stdout).toContain('API_TOKEN:')
  expect(shown.stdout).not.toContain('very-secret-text')
  const editor = join(iris.world.root, 'editor')
  writeFileSync(editor, '#!/bin/sh\necho "  maxProcesses: $2" >>"$3"\n')
  chmodSync(editor, 0o755)
  const good = await iris.run(['config', 'edit'], { env: { EDITOR: `${editor} set 7` } })
  expect(good).toMatchObject({ code: 0, stdout: expect.stringContaining('is in order') })
  expect(textOf(iris)).toMatch(/\n {2}maxProcesses: 7\n$/)
  const drawing = join(iris.world.root, 'drawing')
  writeFileSync(drawing, '#!/bin/sh\necho a picture\n')
  chmodSync(drawing, 0o755)
  const forPrograms = await iris.run(['config', 'edit', '--json'], { env: { EDITOR: drawing } })
  expect(forPrograms).toMatchObject({ code: 0, stderr: 'a picture\n' })
  expect(JSON.parse(forPrograms.stdout)).toMatchObject({ valid: true, file: configOf(iris) })
  const bad = await iris.run(['config', 'edit'], { env: { EDITOR: `${editor} set many` } })
  expect(bad).toMatchObject({ code: 3, stderr: expect.stringContaining('maxProcesses') })
  expect(textOf(iris), 'a text with a mistake is not written').toMatch(/\n {2}maxProcesses: 7\n$/)
  const [, copy = ''] = /Your text is in (\S+)\.\n/.exec(bad.stderr) ?? []
  expect(readFileSync(copy, 'utf8')).toContain('maxProcesses: many')
  const onPipe = await iris.run(['config', 'edit'], { env: { EDITOR: '/usr/bin/vim' } })
  expect(onPipe).toMatchObject({ code: 2, stderr: expect.stringContaining('no terminal for the editor') })
})

test('config edit takes nothing from an editor that failed, and no text that could not be in force', async () => {
  await using iris = await Installation.create({ teams: ['backend'] })
  const before = textOf(iris)
  const edit = async (script: string) => {
    const editor = join(iris.world.root, 'my editor')
    writeFileSync(editor, `#!/bin/sh\n${script}\n`)
    chmodSync(editor, 0o755)
    const ending = await runCommand(iris.world, ['config', 'edit'], { env: { ...iris.env, EDITOR: `'${editor}' -w` } })
    return { ...ending, copies: readdirSync(iris.world.home).filter((name) => name.includes('.edit-')).length }
  }
  const stays = (code: number, copies: number, text: string) => {
    return { code, copies, stderr: expect.stringContaining(text) }
  }
  expect(await edit('echo "# half" >>"$2"; exit 1')).toMatchObject(stays(2, 1, 'The editor ended with exit code 1'))
  expect(await edit('echo "# half" >>"$2"; kill -9 $$')).toMatchObject(stays(2, 2, 'SIGKILL'))
  expect(await edit('rm "$2"')).toMatchObject(stays(1, 2, 'is gone'))
  expect(await edit(': >"$2"')).toMatchObject(stays(3, 3, 'teams: {}'))
  expect(await edit(`printf '# \\377\\n' >>"$2"`)).toMatchObject(stays(3, 4, 'UTF-8'))
  expect(await edit('yes "# more" | head -c 2000000 >>"$2"')).toMatchObject(stays(3, 5, 'larger than'))
  expect(textOf(iris)).toBe(before)
  expect(await edit(`echo "# mine" >>"$2"; rm '${configOf(iris)}'`)).toMatchObject(stays(1, 6, 'was changed while'))
  const blank = await runCommand(iris.world, ['config', 'edit'], { env: { ...iris.env, EDITOR: ' ' } })
  expect(blank).toMatchObject({ code: 2, stderr: expect.stringContaining('editor vi') })
})

test('iris as a service: its file is written once, systemd is asked to start it, and all of it goes again', async () => {
  await using iris = await Installation.create()
  const bin = join(iris.world.root, 'bin')
  const asked = join(iris.world.root, 'asked')
  mkdirSync(bin)
  writeFileSync(join(bin, 'systemctl'), `#!/bin/sh\necho "$@" >>${asked}\n`)
  chmodSync(join(bin, 'systemctl'), 0o755)
  const env = { PATH: `${bin}:${iris.env['PATH']}` }
  const run = (...args: string[]) => runCommand(iris.world, ['service', ...args, '--for', 'systemd'], { env })
  const file = join(iris.world.root, '.config/systemd/user/iris.service')
  expect((await run('install', '--dry-run')).stdout).toContain(`Would write ${file}`)
  expect([file, asked].map((path) => existsSync(path))).toEqual([false, false])
  expect(await run('install')).toMatchObject({ code: 0, stdout: expect.stringContaining(`Wrote ${file}.`) })
  expect(readFileSync(asked, 'utf8').split('\n')).toEqual([
    '--user show-environment',
    '--user daemon-reload',
    '--user enable --now iris.service',
    '',
  ])
  expect(readFileSync(file, 'utf8')).toContain(`Environment=IRIS_HOME=${iris.world.home}\n`)
  expect((await run('install')).stdout).toContain('is up to date')
  expect(JSON.parse((await run('status', '--json')).stdout)).toMatchObject({ installed: true, active: true })
  expect(await run('uninstall')).toMatchObject({ code: 0, stdout: `Removed ${file}.\n` })
  expect(existsSync(file)).toBe(false)
  rmSync(join(bin, 'systemctl'))
  const without = await iris.run(['service', 'install', '--for', 'systemd'], { env: { PATH: bin } })
  expect(without).toMatchObject({ code: 0, stdout: expect.stringContaining('systemd does not answer here') })
})

test('config unset says when there was nothing to remove, and refuses a key that does not exist', async () => {
  await using iris = await Installation.create()
  const before = textOf(iris)
  expect(await runCommand(iris.world, ['config', 'unset', 'settings.maxProcesses'])).toMatchObject({
    code: 0,
    stdout: 'config.yaml does not set settings.maxProcesses. Nothing was changed.\n',
  })
  expect(await runCommand(iris.world, ['config', 'set', 'insight.patterns', 'false'])).toMatchObject({ code: 0 })
  expect(await runCommand(iris.world, ['config', 'unset', 'insight.patterns'])).toMatchObject({ code: 0 })
  expect(textOf(iris), 'an empty section does not stay').toBe(before)
  for (const key of ['nothing', 'settings.nothing', 'teams.nobody.model'])
    expect(await runCommand(iris.world, ['config', 'unset', key])).toMatchObject({ code: 8, stdout: '' })
  expect(textOf(iris)).toBe(before)
})

test('config set means the team with the longer name where the name of another begins it', async () => {
  await using iris = await Installation.create({ teams: ['shop', 'shop.api'] })
  expect(await runCommand(iris.world, ['config', 'set', 'teams.shop.api.model', 'haiku'])).toMatchObject({ code: 0 })
  const { teams } = parse(textOf(iris)) as { teams: Record<string, object> }
  expect(teams).toMatchObject({ 'shop.api': { model: 'haiku' } })
  expect(teams['shop']).not.toHaveProperty('api')
})
