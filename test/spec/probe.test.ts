import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { refuseElsewhere, refuseManaged } from '../../src/app/probe/loopback.ts'
import { scenes } from '../../src/app/probe/probe.ts'
import { playScene } from '../../src/app/probe/scene.ts'
import { cliWorld } from '../../src/app/probe/world.ts'
import type { ProbeReport } from '../../src/base/protocol/probe.ts'
import { programFile, readProbes, writeProbe } from '../../src/claude/driver/probe-record.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { faultyClaude } from '../support/faulty-claude.ts'
import { findings } from '../support/findings.ts'
import { TestIris } from '../support/iris.ts'
import { Installation, processesOf } from '../support/program.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { isNightly } from '../support/tier.ts'

/** On a busy machine a scene waits for its lines longer than the command does. */
const patienceMs = 60_000

/** That the newest one keeps them all says `iris doctor --probe` below. */
describe.each(isNightly ? claudeVersions : [])('Claude Code %s', (version) => {
  test.each(scenes.map((scene) => [scene.clauses.join(' '), scene] as const))(
    'keeps %s',
    async (_names, scene) => {
      const target = { executable: claudeBinary(version), version, path: process.env['PATH'] ?? '', patienceMs }
      const verdicts = await playScene(scene, { ...target, signal: new AbortController().signal })
      expect(verdicts).toEqual(scene.clauses.map((clause) => ({ clause, state: 'kept' })))
    },
    300_000,
  )
})

test('iris doctor --probe says so, keeps what it found for its owner alone, and leaves no process', async () => {
  await using iris = await Installation.create({ settings: { claudePath: claudeBinary('2.1.330') } })
  const { code, stdout, stderr } = await iris.run(['doctor', '--probe'], { env: { TMPDIR: iris.world.root } })
  expect({ code, stdout, stderr }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/keeps 40 of the 40 clauses/),
  })
  const record = join(iris.world.home, 'data/probe.json')
  expect(statSync(record).mode & 0o777).toBe(0o600)
  expect(readProbes(record)).toMatchObject([{ verdict: 'good', version: '2.1.330', differs: [] }])
  expect((await findings(iris)).of('claude')?.detail).toContain('the probe found nothing wrong')
  expect(processesOf(`${iris.world.root}/iris-probe`)).toEqual([])
  expect(iris.world.model.requests).toMatchObject({ turns: 0, sideRequests: 0 })
})

test('iris doctor --probe says one line for each clause that is not kept, and the doctor remembers it', async () => {
  await using iris = await Installation.create()
  const claude = faultyClaude(iris.world.root, 'message.partial', claudeBinary('2.1.330'))
  iris.world.writeConfig({ settings: { claudePath: claude } })
  const { code, stdout } = await iris.run(['doctor', '--probe', '--json'])
  const { ok, reports } = JSON.parse(stdout) as { ok: boolean; reports: ProbeReport[] }
  expect({ code, ok, verdict: reports[0]?.verdict }).toEqual({ code: 1, ok: false, verdict: 'bad' })
  expect(reports[0]?.clauses.filter(({ state }) => state !== 'kept')).toEqual([
    {
      clause: 'message.partial',
      state: 'differs',
      expects: 'prints the text while the model is still writing',
      did: 'no stream_event with a text_delta came',
      breaks: 'answers appear only when they are complete',
    },
  ])
  expect((await findings(iris)).of('claude')).toMatchObject({
    state: 'fail',
    detail: expect.stringContaining('does not behave as Iris expects: message.partial'),
    remedy: expect.stringContaining('iris doctor --probe'),
  })
})

test('the daemon warns, once, when the Claude Code that answers is not the one that was found good, until it is again', async () => {
  using fake = fakeClaude()
  await using iris = await TestIris.start({
    settings: { claudePath: fake.claudePath, env: { ...fake.env }, logLevel: 'warn' },
  })
  const file = join(iris.world.home, 'data/probe.json')
  const program = programFile(fake.claudePath)!
  const record = { version: '2.1.330', at: 1, verdict: 'good', differs: [] } as const
  expect(await callTool(iris, 'team_status')).not.toHaveProperty('claudeProblem')
  writeProbe(file, { ...record, program: { ...program, bytes: program.bytes + 1 } })
  await ask(iris, 'backend', 'hello', { fromTeam: 'frontend' })
  const { problem } = await iris.event('claude-changed')
  expect(problem).toContain('is not the one in which the last probe found nothing wrong (2.1.330')
  expect(await callTool(iris, 'team_status')).toMatchObject({ claudeProblem: problem })
  const health = async () => {
    const headers = { authorization: `Bearer ${iris.token}` }
    return (await fetch(`http://127.0.0.1:${iris.port}/api/health`, { headers })).json()
  }
  expect(await health()).toMatchObject({
    problems: expect.arrayContaining([expect.objectContaining({ what: problem })]),
  })
  const logged = () => iris.daemon.parts.recentLog.entries().filter(({ message }) => message === problem)
  await ask(iris, 'mobile', 'hello', { fromTeam: 'frontend' })
  expect(logged()).toHaveLength(1)
  writeProbe(file, { ...record, program })
  await ask(iris, 'frontend', 'hello', { fromTeam: 'mobile' })
  await iris.event('claude-changed', (event) => event.problem === undefined)
  expect(await callTool(iris, 'team_status')).not.toHaveProperty('claudeProblem')
})

test('iris status says it too', async () => {
  await using iris = await Installation.create()
  const { home } = iris.world
  const claude = claudeBinary('2.1.330')
  iris.world.writeConfig({ settings: { claudePath: claude } })
  await iris.startDaemon()
  const record = { version: '2.1.300', at: 1, verdict: 'good', differs: [] } as const
  writeProbe(join(home, 'data/probe.json'), { ...record, program: { ...programFile(claude)!, changedAt: 1 } })
  for (const command of [['status'], []]) {
    expect((await iris.run(command)).stdout).toContain(
      'is not the one in which the last probe found nothing wrong (2.1.300',
    )
  }
})

test('a probe that would leave the machine is refused before anything is started', async () => {
  using scratch = scratchDirectory()
  const local = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1234' }
  expect(() => refuseElsewhere(local)).not.toThrow()
  for (const env of [
    {},
    { ANTHROPIC_BASE_URL: 'https://api.anthropic.com' },
    { ANTHROPIC_BASE_URL: 'http://127.0.0.1.example.org' },
    { ...local, CLAUDE_CODE_USE_BEDROCK: '1' },
    { ...local, https_proxy: 'http://proxy.example.org' },
  ]) {
    expect(() => refuseElsewhere(env)).toThrow(/would not stay on this machine/)
  }
  const managed = join(scratch.path, 'managed-settings.json')
  const states = (settings: string) => () => {
    writeFileSync(managed, settings)
    refuseManaged([managed])
  }
  expect(states('{"env": {"ANTHROPIC_BASE_URL": "https://gateway.example.org"}}')).toThrow(/sets ANTHROPIC_BASE_URL/)
  expect(states('{"env": {')).toThrow(/cannot be read/)
  expect(states('{"env": {"LANG": "C"}}')).not.toThrow()
  const mark = join(scratch.path, 'started')
  const command = ['/bin/sh', '-c', `touch ${mark}`]
  await using world = await cliWorld({ command, environment: () => ({}), script: () => ({ text: '' }) })
  expect(() => world.start()).toThrow(/would not stay on this machine/)
  expect(existsSync(mark)).toBe(false)
})

test('a probe that is interrupted ends what it has started', async () => {
  await using iris = await Installation.create({ settings: { claudePath: claudeBinary('2.1.330') } })
  const program = iris.start(['doctor', '--probe'], { env: { TMPDIR: iris.world.root } })
  const started = () => processesOf(`${iris.world.root}/iris-probe`)
  await eventually(() => started().length > 0, 'a process of the probe')
  program.child.kill('SIGINT')
  expect(await program.ended).toMatchObject({ code: 130 })
  expect(started()).toEqual([])
  expect(readProbes(join(iris.world.home, 'data/probe.json'))).toEqual([])
})
