import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Finding } from '../../src/protocol/finding.ts'
import { isolationMeans } from '../../src/transport/isolation.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { Installation } from '../support/program.ts'

const means = await isolationMeans(process.env['PATH'] ?? '')

async function findings(iris: Installation) {
  const { code, stdout } = await iris.run(['doctor', '--json'])
  const told = JSON.parse(stdout) as { ok: boolean; findings: Finding[] }
  const of = (check: string) => told.findings.find((finding) => finding.check === check)
  return { code, ok: told.ok, of, checks: told.findings.map(({ check }) => check) }
}

test('doctor finds all well before the first start and beside a running daemon, and ends with 0', async () => {
  await using iris = await Installation.create()
  chmodSync(iris.world.home, 0o700)
  const before = await findings(iris)
  expect(before).toMatchObject({ code: 0, ok: true })
  expect(before.checks).toEqual(['node', 'home', 'configuration', 'claude', 'store', 'port', 'isolation'])
  expect(before.of('claude')?.detail).toMatch(/^Claude Code \d+\.\d+\.\d+ \(\//)
  expect(before.of('isolation')?.state).toBe('isolate' in means.hiding ? 'ok' : 'warn')
  await iris.startDaemon()
  const beside = await findings(iris)
  expect(beside).toMatchObject({ code: 0, ok: true })
  expect(beside.of('port')?.detail).toBe(`Iris answers on port ${iris.daemon()!.port}`)
})

test('doctor names what is wrong, each with its remedy, and ends with 1', async () => {
  await using iris = await Installation.create()
  const { world } = iris
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as { port: number }
  using claude = fakeClaude()
  world.writeConfig({
    settings: { httpPort: port, claudePath: claude.claudePath, env: { ...claude.env } },
    teams: { backend: { claudePath: '/nowhere/claude' }, frontend: { isolation: 'none' } },
  })
  chmodSync(world.home, 0o755)
  writeFileSync(join(world.home, 'token'), 'x', { mode: 0o644 })
  const { code, ok, of } = await findings(iris)
  taken.close()
  expect({ code, ok }).toEqual({ code: 1, ok: false })
  expect(of('home')).toMatchObject({ state: 'warn', remedy: expect.stringContaining('chmod') })
  expect(of('claude')).toMatchObject({ state: 'fail', detail: 'There is no program at /nowhere/claude.' })
  expect(of('port')).toMatchObject({ state: 'fail', detail: `another program has port ${port}` })
  const { stdout } = await iris.run(['doctor'])
  expect(stdout).toMatch(/^fail {2}claude {9}There is no program at \/nowhere\/claude\.\n {21}Correct claudePath/m)
  expect(stdout).toMatch(/^warn {2}isolation {6}nothing is hidden: the configuration says so \(frontend\)$/m)
})

test('doctor says what is wrong with config.yaml, and that a store is damaged', async () => {
  await using iris = await Installation.create()
  const { world } = iris
  writeFileSync(join(world.home, 'team-sessions.db'), 'this is no store, whatever its name may say'.repeat(100))
  writeFileSync(join(world.home, 'config.yaml'), 'database: {path: team-sessions.db}\nteams: {}\n', { mode: 0o600 })
  expect((await findings(iris)).of('store')).toMatchObject({
    state: 'fail',
    detail: expect.stringContaining('cannot be read'),
  })
  writeFileSync(join(world.home, 'config.yaml'), 'teams: [what]\n', { mode: 0o600 })
  const { code, of } = await findings(iris)
  expect(code).toBe(1)
  expect(of('configuration')).toMatchObject({ state: 'fail', detail: expect.stringContaining('config.yaml:1') })
})
