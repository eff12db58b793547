import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { isolationMeans } from '../../src/platform/machine/isolation-means.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { findings } from '../support/findings.ts'
import { Installation } from '../support/program.ts'
import { claudeBinary } from '../support/real-claude.ts'
import { runCommand } from '../support/run-command.ts'

const means = await isolationMeans(process.env['PATH'] ?? '')
const always = [
  'node',
  'home',
  'configuration',
  'claude',
  'login',
  'store',
  'disk',
  'memory',
  'lock',
  'orphans',
  'port',
]

test('doctor finds all well before the first start and beside a running daemon, and ends with 0', async () => {
  await using iris = await Installation.create()
  chmodSync(iris.world.home, 0o700)
  const before = await findings(iris)
  expect(before).toMatchObject({ code: 0, ok: true })
  expect(before.checks).toEqual(expect.arrayContaining([...always, 'isolation', 'transcripts', 'registration']))
  expect(before.of('claude')?.detail).toMatch(/^Claude Code \d+\.\d+\.\d+ \(\//)
  expect(before.of('login')?.detail).toMatch(/^by ANTHROPIC_API_KEY of the environment, at 127\.0\.0\.1:\d+ \(/)
  expect(before.of('isolation')?.state).toBe('isolate' in means.hiding ? 'ok' : 'warn')
  expect(before.of('lock')?.detail).toBe('no daemon is running, and none left files behind')
  await iris.startDaemon()
  const { port, pid } = iris.daemon()!
  const beside = await findings(iris)
  expect(beside).toMatchObject({ code: 0, ok: true })
  expect(beside.of('port')?.detail).toBe(`Iris answers on port ${port}`)
  expect(beside.of('features')?.detail).toMatch(
    /^on: audit \(audit\), .*permission \(rules, questions\).*; not configured: .*channels/,
  )
  expect(beside.of('lock')).toMatchObject({ state: 'ok', detail: `held by the daemon (pid ${pid}, port ${port})` })
})

test('doctor names what is wrong, each with its remedy, and ends with 1', async () => {
  await using iris = await Installation.create()
  const { world } = iris
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as { port: number }
  using claude = fakeClaude()
  world.writeConfig({
    settings: { httpPort: port, claudePath: claude.claudePath, env: { ...claude.env }, maxProcesses: 1000 },
    teams: {
      backend: { claudePath: '/nowhere/claude' },
      frontend: { isolation: 'none', grantPermission: 'yes', dangerous: true },
      'shop.api': {},
      'shop-api': {},
    },
  })
  chmodSync(world.home, 0o755)
  const { code, ok, of } = await findings(iris)
  taken.close()
  expect({ code, ok }).toEqual({ code: 1, ok: false })
  expect(of('home')).toMatchObject({ state: 'warn', remedy: 'iris doctor --fix', canFix: true })
  expect(of('claude')).toMatchObject({ state: 'fail', detail: 'There is no program at /nowhere/claude.' })
  // The program that has it is the one that runs this test.
  expect(of('port')).toMatchObject({
    state: 'fail',
    detail: expect.stringMatching(new RegExp(`^process ${process.pid} \\(node .*\\) has port ${port}$`)),
    remedy: expect.stringContaining('iris config set settings.httpPort'),
  })
  expect(of('memory')).toMatchObject({ state: 'warn', remedy: expect.stringMatching(/maxProcesses \d+$/) })
  expect(of('permissions')?.remedy).toBe('iris config set teams.frontend.grantPermission ask')
  const { stdout } = await iris.run(['doctor'])
  expect(stdout).toMatch(/^fail {2}claude {9}There is no program at \/nowhere\/claude\.\n {21}→ Correct claudePath/m)
  expect(stdout).toMatch(/^warn {2}isolation {6}nothing is hidden: the configuration says so \(frontend\)$/m)
  expect(stdout).toMatch(/^warn {2}isolation {6}Claude Code keeps .* in one directory, .*: shop\.api, shop-api$/m)
  expect(stdout).toMatch(/^"iris doctor --fix" fixes 1 of these\.$/m)
  // The last line sums up.
  expect(stdout).toMatch(/\n((\d+ failed|\d+ warnings?)(, )?)+, \d+ ok\.\n$/)
})

test('doctor says every mistake of config.yaml, a directory that is missing among them, and still looks at the rest', async () => {
  await using iris = await Installation.create()
  const { home } = iris.world
  const yaml = 'settings: {maxProceses: 3}\nteams: {backend: {path: /nowhere/backend}}\n'
  writeFileSync(join(home, 'config.yaml'), yaml, { mode: 0o600 })
  const { code, of, checks } = await findings(iris)
  expect(code).toBe(1)
  expect(of('configuration')).toMatchObject({ state: 'fail', detail: expect.stringContaining('config.yaml:1') })
  for (const word of ['maxProceses', '/nowhere']) expect(of('configuration')?.detail).toContain(word)
  expect(checks).toEqual(expect.arrayContaining(always))
})

test('doctor works where there is no home yet, and makes none', async () => {
  await using iris = await Installation.create()
  const IRIS_HOME = join(iris.world.root, 'not', 'yet')
  const PATH = `${dirname(claudeBinary('2.1.330'))}:${iris.env['PATH']}`
  const { code, of } = await findings(iris, ['--fix'], { IRIS_HOME, PATH })
  expect(code).toBe(0)
  expect(of('home')?.detail).toBe(`Iris creates ${IRIS_HOME} at its first start`)
  expect(of('configuration')).toMatchObject({ state: 'warn', remedy: expect.stringContaining('iris add-team') })
  expect(existsSync(IRIS_HOME)).toBe(false)
})

test('doctor says that a store is damaged, of a newer Iris, or of a clock that went back', async () => {
  await using iris = await Installation.create()
  const { home } = iris.world
  const path = join(home, 'team-sessions.db')
  writeFileSync(join(home, 'config.yaml'), 'database: {path: team-sessions.db}\nteams: {}\n', { mode: 0o600 })
  const noStore = 'this is no store, whatever its name may say'.repeat(100)
  writeFileSync(path, noStore)
  const foreign = await findings(iris)
  expect(foreign.of('store')).toMatchObject({
    state: 'fail',
    detail: expect.stringContaining('is not a store of Iris'),
  })
  rmSync(path)
  const program = await iris.startDaemon()
  program.child.kill('SIGTERM')
  await program.ended
  const sound = await findings(iris)
  expect(sound.of('store')).toMatchObject({
    state: 'ok',
    detail: expect.stringMatching(/team-sessions\.db, \d+ [kM]B$/),
  })
  expect(sound.of('clock')).toBeUndefined()
  change(path, `INSERT INTO attachment_contents (sha256, content) VALUES ('a', x'010203')`)
  expect((await findings(iris)).of('attachments')).toMatchObject({
    state: 'ok',
    detail: expect.stringMatching(/^3 bytes/),
  })
  const inADay = Date.now() + 86_400_000
  const columns = 'id, session, message, hop, awaited, state, accepted_at'
  change(path, `INSERT INTO turns (${columns}) VALUES ('x', 1, 'm', 0, 0, 'settled', ${inADay})`)
  expect((await findings(iris)).of('clock')).toMatchObject({
    state: 'warn',
    detail: expect.stringContaining('set back'),
  })
  change(path, 'PRAGMA user_version = 999')
  expect((await findings(iris)).of('store')).toMatchObject({ state: 'fail', detail: expect.stringContaining('999') })
  // Iris has used this file as its store.
  writeFileSync(path, noStore)
  const damaged = await findings(iris)
  expect(damaged.of('store')).toMatchObject({ state: 'fail', detail: expect.stringContaining('is damaged') })
})

function change(path: string, sql: string): void {
  using database = new DatabaseSync(path, { enableForeignKeyConstraints: false })
  database.exec(sql)
}

test('a daemon that hangs is named with the command that ends it, and nobody waits for it', async () => {
  await using iris = await Installation.create()
  const { child } = await iris.startDaemon()
  child.kill('SIGSTOP')
  const { code, of } = await findings(iris)
  child.kill('SIGCONT')
  expect(code).toBe(1)
  expect(of('lock')).toMatchObject({
    state: 'fail',
    detail: `process ${child.pid} holds the lock and does not answer`,
    remedy: expect.stringContaining(`kill ${child.pid}`),
  })
})

test('doctor knows a login that the API refused last, until a message of that team is answered', async () => {
  using claude = fakeClaude({
    script: {
      rules: [
        { when: 'first', steps: [{ apiFailure: { status: 401, message: 'Invalid API key' } }] },
        { steps: [{ text: 'Hello.' }] },
      ],
    },
  })
  await using iris = await Installation.create({
    teams: { backend: { claudePath: claude.claudePath, env: claude.env } },
  })
  await iris.startDaemon()
  expect(await runCommand(iris.world, ['tell', 'backend', 'first'])).toMatchObject({ code: 10 })
  const { checks: _, of, code } = await findings(iris)
  expect(code).toBe(1)
  expect(of('login', /api_auth/)).toMatchObject({
    state: 'fail',
    detail: expect.stringContaining('refused the login of backend'),
  })
  expect(await runCommand(iris.world, ['tell', 'backend', 'again'])).toMatchObject({ code: 0 })
  expect((await findings(iris)).of('login', /api_auth/)).toBeUndefined()
})
