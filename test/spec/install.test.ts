import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileTree } from '../support/file-tree.ts'
import { newcomer } from '../support/newcomer.ts'
import { firstIn } from '../support/tier.ts'

const read = (file: string): string => readFileSync(file, 'utf8')
const slow = 120_000

const persons = [
  ['2.1.330', 'has another server', true],
  ['2.1.330', 'never had a server', false],
  ['2.1.197', 'never had a server', false],
] as const

test.each(firstIn<(typeof persons)[number]>(persons))(
  'a Claude Code %s that %s gets Iris once, and its file is then as before, to the byte',
  {
    timeout: slow,
  },
  async (version, _has, servers) => {
    await using person = await newcomer({ version, servers })
    const { file, run, entry, record, outside } = person
    const [before, former] = [outside(), person.servers()]
    const planned = await run('install', '--dry-run')
    expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining('Would run: claude mcp add iris') })
    expect(outside()).toEqual(before)
    expect(existsSync(record)).toBe(false)

    const installed = await run('install')
    expect(installed).toMatchObject({ code: 0, stdout: expect.stringContaining(`Added mcpServers.iris to ${file}`) })
    expect(person.servers()).toEqual({ ...former, iris: entry })
    expect(lstatSync(record).mode & 0o777).toBe(0o600)
    const after = outside()
    const again = await run('install')
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/already has this Iris[^]*Nothing was changed\.\n$/),
    })
    expect(outside()).toEqual(after)

    expect((await run('uninstall', '--dry-run')).stdout).toContain(`Would remove iris from ${file}.`)
    expect(outside()).toEqual(after)
    const undone = await run('uninstall')
    expect(undone).toMatchObject({ code: 0, stdout: expect.stringContaining(`Removed iris from ${file}.`) })
    expect(existsSync(record)).toBe(false)
    expect(outside()).toEqual(before)
    expect((await run('uninstall')).stdout).not.toContain(file)
  },
)

test('what was registered works: Claude Code connects, and uninstalling ends the daemon that this started', {
  timeout: slow,
}, async () => {
  await using person = await newcomer()
  await person.iris.run(['install'], { env: person.env })
  expect((await person.claude('mcp', 'get', 'iris')).stdout).toContain('Connected')
  const { stdout } = await person.iris.run(['uninstall'], { env: person.env })
  expect(stdout).toMatch(/^Iris .* has been running for .*\nIris has stopped\.\nRemoved iris from /)
  expect(person.servers()).toBeUndefined()
})

test('another registration is shown and stays, is replaced with --force, and comes back', {
  timeout: slow,
}, async () => {
  await using person = await newcomer()
  const { run, claude, outside } = person
  const other = { type: 'http', url: 'http://localhost:1615/mcp', headers: { Authorization: 'Bearer secret' } }
  await claude('mcp', 'add-json', '--scope', 'user', 'iris', JSON.stringify(other))
  const before = outside()
  const refused = await run('install')
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`a different iris: ${other.url}\nThis Iris would`),
  })
  expect(outside()).toEqual(before)
  expect(await run('uninstall')).toMatchObject({ code: 0 })
  expect(person.servers()).toEqual({ iris: other })

  const forced = await run('install', '--force')
  expect(forced).toMatchObject({ code: 0, stdout: expect.stringContaining(`replacing ${other.url}`) })
  expect(person.servers()).toEqual({ iris: person.entry })
  expect(forced.stdout + refused.stderr).not.toContain('secret')
  expect((await run('uninstall')).stdout).toContain(`and restored ${other.url}`)
  expect(outside()).toEqual(before)
})

test('what somebody has registered since under its name is not taken out', { timeout: slow }, async () => {
  await using person = await newcomer()
  const { run, claude } = person
  await run('install')
  await claude('mcp', 'remove', '--scope', 'user', 'iris')
  await claude('mcp', 'add', '--scope', 'user', 'iris', '--', '/mine')
  expect((await run('uninstall')).stdout).toContain('a different iris, which stays: /mine')
  expect(person.servers()).toMatchObject({ iris: { command: '/mine' } })
})

test('without Claude Code nothing is done, and the line that installs it is said', async () => {
  await using person = await newcomer({ hasClaude: false })
  const before = fileTree(person.root)
  const { code, stderr } = await person.run('install')
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('npm install -g @anthropic-ai/claude-code'),
  })
  expect(fileTree(person.root)).toEqual(before)
})

test('without Claude Code no message runs with the one that a checkout has for its tests, and each command says so', async () => {
  await using person = await newcomer({ hasClaude: false })
  const why = 'The command "claude" was not found in PATH.'
  await person.run('add-team', person.project)
  const doctor = await person.run('doctor')
  expect(doctor).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^fail {2}claude {9}The command "claude" was/m),
  })
  const told = await person.iris.run(['tell', 'shop', 'hello'], { env: person.env })
  expect(told.code).not.toBe(0)
  expect(told.stdout + told.stderr).toContain(why)
})

test('where Claude Code has gone, uninstalling says what it leaves, and does the rest', { timeout: slow }, async () => {
  await using person = await newcomer()
  const { project, run } = person
  const install = await run('install')
  expect(install.code).toBe(0)
  await run('install', '--project', project)
  const without = { PATH: '/usr/bin:/bin' }
  const { code, stdout } = await person.iris.run(['uninstall'], { env: without })
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('claude mcp remove --scope user iris') })
  expect(existsSync(join(project, '.mcp.json'))).toBe(false)
  expect(await run('uninstall')).toMatchObject({ code: 0, stdout: expect.stringContaining('Removed iris from') })
  expect(person.servers()).toBeUndefined()
})

test.each([
  ['made and removed', undefined],
  ['empty', '{}'],
  ['of others', '{\n\t"x": [1, 2.0],\n\t"mcpServers": {\n\t\t"b": {"command": "b"},\n\t\t"a": {"url": "u"}\n\t}\n}\n'],
  ['in one line', '{"mcpServers":{"iris":{"command":"old"}},"y":1}'],
])('the .mcp.json of a project (%s) gets Iris, and is as it was afterwards', async (_what, text) => {
  await using person = await newcomer({ hasClaude: false })
  const { project, run, root } = person
  const file = join(project, '.mcp.json')
  if (text !== undefined) writeFileSync(file, text, { mode: 0o644 })
  const before = fileTree(root, (path) => path.startsWith('iris/'))
  const force = text?.includes('old') ? ['--force'] : []
  expect((await run('install', '--project', project, '--dry-run', ...force)).stdout).toMatch(/^Would (make|add)/)
  const { stdout } = await person.iris.run(['install', '--project', ...force], { cwd: project })
  expect(stdout).toContain(`${file}`)
  const { mcpServers, ...others } = JSON.parse(read(file))
  const { mcpServers: former, ...kept } = JSON.parse(text ?? '{}')
  expect({ mcpServers, others }).toEqual({ mcpServers: { ...former, iris: person.entry }, others: kept })
  const written = read(file)
  expect((await run('install', '--project', project)).stdout).toContain('Nothing was changed.')
  expect(read(file)).toBe(written)
  expect((await run('uninstall')).stdout).toContain(`Removed iris from ${file}`)
  expect(fileTree(root, (path) => path.startsWith('iris/'))).toEqual(before)
})

test('a .mcp.json that is a link or cannot be read is left alone', async () => {
  await using person = await newcomer({ hasClaude: false })
  const { project, run, root } = person
  const file = join(project, '.mcp.json')
  const elsewhere = join(root, 'elsewhere.json')
  symlinkSync(elsewhere, file)
  for (const text of [undefined, '{}']) {
    if (text !== undefined) writeFileSync(elsewhere, text)
    expect(await run('install', '--project', project)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('link'),
    })
    expect(existsSync(elsewhere) && read(elsewhere)).toBe(text ?? false)
  }
  for (const text of ['{"mcpServers":', '[]', '{"mcpServers": 3}']) {
    writeFileSync(join(root, 'shop.json'), text)
    await using other = await newcomer({ hasClaude: false })
    const broken = join(other.project, '.mcp.json')
    writeFileSync(broken, text)
    const { code, stderr } = await other.run('install', '--project', other.project)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(broken) })
    expect(read(broken)).toBe(text)
  }
})

test('with another configuration directory it is that one, and it is given back from anywhere', {
  timeout: slow,
}, async () => {
  await using person = await newcomer()
  const { iris, run, root, env } = person
  const before = person.outside()
  const directory = join(root, 'other claude')
  const other = { ...env, CLAUDE_CONFIG_DIR: directory }
  expect(await iris.run(['install'], { env: other })).toMatchObject({ code: 0 })
  const servers = () => JSON.parse(read(join(directory, '.claude.json'))).mcpServers
  expect(servers()).toEqual({ iris: person.entry })
  expect(person.servers()).toBeUndefined()
  expect(await run('install')).toMatchObject({ code: 0, stdout: expect.stringContaining('Added mcpServers.iris') })
  expect((await run('uninstall')).stdout.match(/^Removed iris from/gm)).toHaveLength(2)
  expect(servers()).toBeUndefined()
  rmSync(directory, { recursive: true })
  expect(person.outside()).toEqual(before)
})

test('a file of Claude Code that cannot be read is left alone, and keeps nobody from uninstalling the rest', async () => {
  await using person = await newcomer({ hasClaude: false })
  const { file, run, project } = person
  await run('install', '--project', project)
  writeFileSync(file, '{"mcpServers":')
  expect(await run('install')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(`${file} is not a JSON object`),
  })
  expect((await run('uninstall')).stdout).toContain(`Removed iris from ${join(project, '.mcp.json')}`)
  expect(read(file)).toBe('{"mcpServers":')
})

test('a plugin with the same tools, and what was registered by hand for a project, are told of', async () => {
  await using person = await newcomer({ hasClaude: false })
  mkdirSync(join(person.root, '.claude'))
  writeFileSync(join(person.root, '.claude/settings.json'), JSON.stringify({ enabledPlugins: { 'iris@iris': true } }))
  const { stdout } = await person.run('install', '--project', person.project)
  expect(stdout).toContain('"claude plugin uninstall iris@iris"')
  const local = { mcpServers: { iris: { command: 'iris', args: ['mcp'] } } }
  writeFileSync(
    person.file,
    JSON.stringify({ projects: { '/elsewhere/web': local, '/elsewhere/shop': { mcpServers: {} } } }),
  )
  const told = (await person.run('uninstall')).stdout
  expect(told).toContain('The plugin iris@iris stays')
  expect(told.match(/^Your own registration of iris in .* stays/gm)).toEqual([
    'Your own registration of iris in /elsewhere/web stays',
  ])
})

test('of an Iris that has moved the former place is replaced with --force, and does not come back', async () => {
  await using person = await newcomer({ hasClaude: false })
  const { run, project, record, entry } = person
  const file = join(project, '.mcp.json')
  const text = '{"mcpServers":{"b":{"command":"b"}}}'
  writeFileSync(file, text, { mode: 0o644 })
  await run('install', '--project', project)
  for (const path of [file, record]) writeFileSync(path, read(path).replaceAll(entry.command, '/former/iris'))
  const refused = await run('install', '--project', project)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('a different iris: /former/iris mcp') })
  expect(await run('install', '--project', project, '--force')).toMatchObject({ code: 0 })
  expect(JSON.parse(read(file)).mcpServers).toMatchObject({ iris: entry })
  expect(await run('uninstall')).toMatchObject({ code: 0 })
  expect(read(file)).toBe(text)
})

test('the tools of Iris are allowed in Claude Code where the person wants it, and the settings are as before afterwards', {
  timeout: slow,
}, async () => {
  await using person = await newcomer()
  const { run, root, project } = person
  const settings = join(root, '.claude/settings.json')
  const text = '{\n    "model": "opus",\n    "permissions": { "allow": ["Bash(ls)"] }\n}'
  writeFileSync(settings, text, { mode: 0o644 })
  expect((await run('install')).stdout).toMatch(
    /decides by itself in auto mode\. "\/\S*\/iris install --allow-tools" allows them all/,
  )
  expect(read(settings)).toBe(text)
  expect((await run('install', '--allow-tools', '--dry-run')).stdout).toContain('Would add mcp__iris')
  expect(read(settings)).toBe(text)
  expect((await run('install', '--allow-tools')).stdout).toContain(
    `Added mcp__iris to permissions.allow of ${settings}`,
  )
  expect(JSON.parse(read(settings))).toEqual({ model: 'opus', permissions: { allow: ['Bash(ls)', 'mcp__iris'] } })
  await run('add-team', project)
  const again = await run('install', '--allow-tools')
  expect(again.stdout).toContain('Nothing was changed.')
  // It ends with what to type, with a team of this person.
  expect(again.stdout).toMatch(/\nNext, in a terminal:\n {2}\S*iris tell shop "[^"]+"\n.*\n {2}Ask the shop team .*\n$/)
  expect((await run('uninstall')).stdout).toContain(`Removed mcp__iris from ${settings}.`)
  expect(read(settings)).toBe(text)

  await run('install', '--allow-tools')
  writeFileSync(settings, read(settings).replace('opus', 'sonnet'))
  await run('uninstall')
  expect(JSON.parse(read(settings))).toEqual({ model: 'sonnet', permissions: { allow: ['Bash(ls)'] } })
})
