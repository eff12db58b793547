import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StdioClient } from '../../src/adapters/client/stdio-client.ts'
import { follow } from '../support/browser-login.ts'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import { type Ending, processesOf } from '../support/program.ts'
import { claudeBinary } from '../support/real-claude.ts'

const run = promisify(execFile)
const slow = 240_000
let installed: InstalledPackage
/** The same with a `claude` on it. */
let pathWithClaude: string

beforeAll(async () => {
  installed = await installPackage()
  const bin = join(installed.root, 'claude-bin')
  mkdirSync(bin)
  symlinkSync(claudeBinary('2.1.330'), join(bin, 'claude'))
  pathWithClaude = `${installed.path}:${bin}`
}, slow)

afterAll(async () => {
  for (const pid of processesOf(installed.root)) process.kill(pid, 'SIGKILL')
  await installed[Symbol.asyncDispose]()
})

/** A home of its own for each test, and an environment that holds next to nothing. */
function person(name: string, path = installed.path) {
  const home = join(installed.root, name)
  mkdirSync(home)
  const env = { HOME: home, TMPDIR: home, PATH: path }
  const iris = (...args: string[]): Promise<Omit<Ending, 'signal'>> =>
    new Promise((resolve) => {
      const child = execFile('iris', args, { cwd: home, env }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
      })
      child.stdin?.end()
    })
  return { home, env, iris }
}

test('the package holds JavaScript, what that reads, the guide and the plugin, and nothing of a checkout besides', () => {
  const paths = installed.files.map(({ path }) => path)
  const isKnown = (path: string): boolean =>
    /^(package\.json|README\.md|LICENSE|docs\/guide\/[\w-]+\.md|docs\/openapi\.json|(\.claude-plugin|plugin)\/.+)$/.test(
      path,
    ) ||
    (/^dist\/.+\.(js|json|sql|sh|hbs|css|html|svg|png|ico|woff2|webmanifest)(\.br)?$/.test(path) &&
      !path.endsWith('.test.js'))
  expect(paths.filter((path) => !isKnown(path))).toEqual([])
  expect(paths).toEqual(
    expect.arrayContaining([
      'docs/guide/command.md',
      'dist/main.js',
      'dist/offered.json',
      'dist/dashboard/index.html',
      'dist/platform/store/migrations/0001-seed.sql',
      'dist/platform/store/schema.sql',
      'dist/features/agents/templates/debugger.hbs',
      'dist/features/search/search-worker.js',
      'dist/platform/store/sums-worker.js',
      '.claude-plugin/marketplace.json',
      'plugin/.claude-plugin/plugin.json',
    ]),
  )
  expect(installed.tarballBytes).toBeLessThan(2_000_000)
})

test('every module that the package imports is in it', () => {
  const dist = join(installed.directory, 'dist')
  const imports = globSync('**/*.js', { cwd: dist, exclude: ['dashboard/**'] }).flatMap((file) =>
    [...readFileSync(join(dist, file), 'utf8').matchAll(/(?:from |import ?\()["'](\.[^"'\n]+)["']/g)].map(
      ([, name]) => [file, join(dist, dirname(file), name!)] as const,
    ),
  )
  expect(imports.length).toBeGreaterThan(2000)
  expect(imports.filter(([, imported]) => !existsSync(imported))).toEqual([])
})

test('packing leaves the checkout as it was; what the package says of itself needs nothing that a checkout brings', () => {
  const [before, after] = installed.manifests
  expect(after).toBe(before)
  const { private: isPrivate, optionalDependencies, devDependencies, ...manifest } = installed.manifest
  expect({ isPrivate, optionalDependencies, devDependencies }).toEqual({})
  expect(manifest['dependencies']).toEqual(JSON.parse(before).dependencies)
  expect(manifest['mcpName']).toBe(JSON.parse(readFileSync(new URL('../../server.json', import.meta.url), 'utf8')).name)
})

test('npm installs it without a second Node, without compiling anything and without running a script', () => {
  expect([...installed.asked].filter((name) => /^node(-(linux|darwin|win|bin)[^@]*)?(@|$)/.test(name))).toEqual([])
  const modules = globSync('**/package.json', { cwd: join(installed.directory, 'node_modules') })
  expect(modules.length).toBeGreaterThan(40)
  const scripts = modules.flatMap((file) => {
    const { scripts = {} } = JSON.parse(readFileSync(join(installed.directory, 'node_modules', file), 'utf8'))
    return ['preinstall', 'install', 'postinstall'].filter((name) => name in scripts).map((name) => `${file} ${name}`)
  })
  expect(scripts).toEqual([])
  expect(globSync('**/{binding.gyp,*.node}', { cwd: installed.directory })).toEqual([])
})

test('the installed command answers, with and without a configuration', async () => {
  const { iris, home } = person('looks')
  const { version } = installed.manifest
  expect(await iris('--version')).toEqual({ code: 0, stdout: `iris ${version}\n`, stderr: '' })
  expect(await iris('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('tell [team]'), stderr: '' })
  expect(await iris('sessions', '--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('--status') })
  expect(await iris('status')).toMatchObject({ code: 0, stdout: expect.stringContaining('Iris is not running') })
  expect(existsSync(join(home, '.iris'))).toBe(false)
})

test('the package is a marketplace that Claude Code takes the plugin from', async () => {
  const { home, env } = person('plugin')
  for (const path of ['.', 'plugin']) {
    const args = ['plugin', 'validate', join(installed.directory, path)]
    const { stdout } = await run(claudeBinary('2.1.330'), args, {
      cwd: home,
      env: { ...env, DISABLE_AUTOUPDATER: '1' },
    })
    expect(stdout).toContain('Validation passed')
  }
})

test('iris install registers the iris that npm has put on PATH; Claude Code connects to it, and it goes again', {
  timeout: slow,
}, async () => {
  const { iris, home, env } = person('installs', pathWithClaude)
  const servers = () => JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8')).mcpServers
  expect(await iris('config', 'set', 'settings.httpPort', '0')).toMatchObject({ code: 0 })
  expect(await iris('install')).toMatchObject({ code: 0, stderr: '' })
  expect(servers()).toMatchObject({ iris: { command: join(installed.root, 'prefix/bin/iris'), args: ['mcp'] } })
  const { stdout } = await run(claudeBinary('2.1.330'), ['mcp', 'get', 'iris'], { cwd: home, env })
  expect(stdout).toContain('Connected')
  expect(await iris('uninstall', '--purge', '--yes')).toMatchObject({ code: 0, stderr: '' })
  expect(servers()).toBeUndefined()
  expect(existsSync(join(home, '.iris'))).toBe(false)
  expect(processesOf(home)).toEqual([])
})

test('the demo runs with the claude on PATH', { timeout: slow }, async () => {
  const { iris, home } = person('demo', pathWithClaude)
  const { code, stdout, stderr } = await iris('demo')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^backend answers +.*POST \/orders creates an order/m)
  expect(processesOf(home)).toEqual([])
})

test('without a claude the demo says the one line that installs it', { timeout: slow }, async () => {
  const { iris, home } = person('no-claude')
  const { code, stderr } = await iris('demo')
  expect(code).not.toBe(0)
  expect(stderr).toContain('npm install -g @anthropic-ai/claude-code')
  expect(processesOf(home)).toEqual([])
})

test('the installed daemon serves the dashboard and the bridge, and stops', { timeout: slow }, async () => {
  const { iris, home, env } = person('serves')
  expect(await iris('config', 'set', 'settings.httpPort', '0')).toMatchObject({ code: 0 })
  expect(await iris('start', '--background')).toMatchObject({ code: 0 })
  const { running, port } = JSON.parse((await iris('status', '--json')).stdout)
  expect(running).toBe(true)

  const { pathname, search } = new URL((await iris('dashboard', '--no-open')).stdout)
  const { headers } = await follow({ port }, pathname + search)
  const page = await follow({ port }, '/', headers['set-cookie']![0]!.split(';', 1)[0])
  expect(page).toMatchObject({ status: 200, body: expect.stringMatching(/<script[^>]+src="\/assets\//) })

  // It throws when its `initialize` is not answered.
  const client = await StdioClient.start({ command: 'iris', args: ['mcp'], cwd: home, env })
  expect(await client.call('list_teams', {})).toMatchObject({ teams: [] })
  await client.close()

  expect(await iris('stop')).toMatchObject({ code: 0 })
  expect(processesOf(home)).toEqual([])
})
