import { globSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { authenticationFailure, type Script } from '../../src/app/demo/script.ts'
import { probeTimeoutMs } from '../../src/kernel/deliver/silence.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { asOwner } from '../support/owner.ts'
import { startRemoteWorld } from '../support/remote-world.ts'
import { Stage } from '../support/stage.ts'

/**
 * Each fault of the table, in a running Iris: injected, found, healed and recorded. A crash loop and a process that died
 * are in healing.test.ts. The time of each is printed; the clock of most is virtual.
 */
const took: string[] = []
afterAll(() => process.stdout.write(`Time to healthy:\n${took.map((line) => `  ${line}\n`).join('')}`))

/** Waits until the fault is healed, and reads its row. Returns how long it took, milliseconds. */
async function healed(iris: TestIris, fault: string): Promise<number> {
  const { subject } = await iris.event('fault-found', (event) => event.fault === fault)
  const { tookMs } = await iris.event('fault-healed', (event) => event.fault === fault)
  const { healings } = (await asOwner(iris, 'list_healings', {})) as { healings: Record<string, unknown>[] }
  expect(healings).toContainEqual(expect.objectContaining({ fault, subject, healedAt: expect.any(Number) }))
  took.push(`${fault.padEnd(18)} ${(tookMs / 1000).toFixed(1)} s`)
  return tookMs
}

describe('with the fake claude', () => {
  const responseTimeout = 120_000
  const [rules, settings] = [
    [{ when: 'freeze', steps: [{ partial: 'Half an ans' }, { hang: true as const }] }, { steps: [{ text: 'answer' }] }],
    { responseTimeout },
  ]
  const stageOf = (more: object = {}) =>
    Stage.start({ script: { flushDelayMs: 0, rules, ...more }, settings, goesOn: true })

  test('a message that gets no further, a wrong config.yaml, a lost transcript and a damaged store', async () => {
    await using stage = await stageOf()
    const { iris, clock } = stage
    const frozen = ask(iris, 'backend', 'freeze', { fromTeam: 'frontend' })
    await stage.said('Half an ans')
    await clock.jump(responseTimeout + 1000)
    await eventually(() => clock.pending(probeTimeoutMs) === 1, 'Iris asks whether the process lives')
    await clock.jump(probeTimeoutMs)
    expect(await frozen).toMatchObject({ reason: 'hung' })
    expect(await ask(iris, 'backend', 'next', { fromTeam: 'frontend' })).toMatchObject({ status: 'completed' })
    await healed(iris, 'stuck_queue')

    writeFileSync(join(iris.world.home, 'config.yaml'), 'teams: [none', { mode: 0o600 })
    await iris.event('config-rejected')
    iris.world.writeConfig()
    await healed(iris, 'rejected_config')

    const { sessionId } = await ask(iris, 'mobile', 'one', { fromTeam: 'frontend' })
    const projects = join(iris.world.claudeDirectory, 'projects')
    const transcript = () => globSync(`*/${sessionId}.jsonl`, { cwd: projects })[0]
    await eventually(transcript, 'there is a transcript')
    await iris.daemon.stop(0)
    rmSync(join(projects, transcript()!))
    rmSync(join(iris.world.home, 'data/transcripts'), { recursive: true, force: true })
    await iris.restart()
    expect(await ask(iris, 'mobile', 'two', { fromTeam: 'frontend' })).toHaveProperty('contextReset')
    await healed(iris, 'missing_transcript')

    await iris.daemon.stop(0)
    writeFileSync(join(iris.world.home, 'data/team-sessions.db'), 'no database at all, '.repeat(1000))
    await iris.restart()
    await iris.daemon.recovered
    expect(await healed(iris, 'damaged_store')).toBeGreaterThan(0)
    expect(await ask(iris, 'backend', 'three', { fromTeam: 'frontend' })).toMatchObject({ status: 'completed' })
  })

  test('a full context', async () => {
    await using stage = await stageOf({ contextWindow: 200 })
    await ask(stage.iris, 'backend', 'x'.repeat(700), { fromTeam: 'frontend' })
    expect(await healed(stage.iris, 'full_context')).toBeGreaterThanOrEqual(0)
  })
})

describe('with the real Claude Code', () => {
  test('a limit of the account, and a login that ran out', async () => {
    const [clock, hourMs] = [new JumpingClock(), 3_600_000]
    const account = { used: 1.01, isLoggedIn: true }
    const script: Script = () => {
      const status = account.used >= 1 ? 'rejected' : 'allowed'
      const reset = String(Math.floor((clock.now() + hourMs) / 1000))
      const name = 'anthropic-ratelimit-unified'
      const headers = {
        [`${name}-status`]: status,
        [`${name}-reset`]: reset,
        [`${name}-representative-claim`]: 'five_hour',
        [`${name}-5h-status`]: status,
        [`${name}-5h-reset`]: reset,
        [`${name}-5h-utilization`]: String(account.used),
      }
      if (!account.isLoggedIn) return { ...authenticationFailure, headers }
      if (status === 'allowed') return { text: 'answer', headers }
      return { error: { status: 429, type: 'rate_limit_error', message: 'Please try again later.' }, headers }
    }
    const env = { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-scripted' }
    await using iris = await TestIris.start({ script, clock, settings: { env } })
    const send = async (message: string): Promise<void> => {
      const sent = await callTool(iris, 'quick_message', { toTeam: 'backend', message })
      await iris.event('turn-accepted', ({ turnId }) => turnId === sent['turnId'])
    }
    await send('one')
    const { until } = await iris.event('account-limited', ({ window }) => window === 'five_hour')
    account.used = 0.1
    await eventually(() => clock.dueAt(until) >= 1, 'the message waits for the reset')
    await clock.jump(hourMs + 1000)
    await iris.event('turn-settled', ({ outcome }) => outcome === 'completed')
    // The refusal names a second.
    expect(await healed(iris, 'account_limit')).toBeGreaterThan(hourMs - 1000)

    account.isLoggedIn = false
    await send('two')
    const login = await iris.event('account-limited', ({ window }) => window === 'login')
    account.isLoggedIn = true
    await eventually(() => clock.dueAt(login.until) >= 1, 'the message waits for the login')
    await clock.jump(61_000)
    expect(await healed(iris, 'login')).toBeGreaterThan(0)
  })

  test('a lost link to the machine of a team', { tags: ['thorough'] }, async () => {
    await using world = await startRemoteWorld({ script: () => ({ text: 'answer' }) })
    const { iris, host } = world
    await ask(iris, 'backend', 'one', { fromTeam: 'frontend' })
    host.cut()
    await iris.event('link-lost')
    expect(await ask(iris, 'backend', 'two', { fromTeam: 'frontend' })).toMatchObject({ response: 'answer' })
    await healed(iris, 'lost_link')
  })
})
