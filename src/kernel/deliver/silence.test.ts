import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { probeTimeoutMs, Silence, type SilenceVerdict } from './silence.ts'

const limits = { responseTimeoutMs: 120_000, maxSilenceMs: 600_000, firstSignMs: undefined }

/** Watches a process whose reaction to probes the test controls. */
function watch({ firstSignMs }: { firstSignMs?: number } = {}) {
  const clock = new FakeClock()
  const verdicts: SilenceVerdict[] = []
  const process = {
    alive: true,
    probes: 0,
    toolsRunning: [] as string[],
    openQuestions: 0,
    link: {} as { cutOff?: unknown },
    probe(timeoutMs: number): Promise<boolean> {
      process.probes += 1
      return new Promise((resolve) => clock.after(process.alive ? 5 : timeoutMs, () => resolve(process.alive)))
    },
  }
  const silentTools: string[] = []
  const silence = new Silence(
    { ...limits, firstSignMs },
    process,
    clock,
    (verdict) => verdicts.push(verdict),
    (tool) => silentTools.push(tool),
  )
  return { clock, process, silence, verdicts, silentTools }
}

test('a process is asked after responseTimeout, and has 10 s to answer', async () => {
  const { clock, process, verdicts } = watch()
  process.alive = false
  await clock.advance(limits.responseTimeoutMs - 1)
  expect(process.probes).toBe(0)
  await clock.advance(1)
  expect(process.probes).toBe(1)
  await clock.advance(probeTimeoutMs - 1)
  expect(verdicts).toEqual([])
  await clock.advance(1)
  expect(verdicts).toEqual(['hung'])
  expect(clock.pending).toBe(0)
})

test('each sign starts the time from zero', async () => {
  const { clock, process, silence } = watch()
  for (let line = 0; line < 20; line++) {
    await clock.advance(limits.responseTimeoutMs - 1)
    silence.sign()
  }
  expect(process.probes).toBe(0)
  await clock.advance(limits.responseTimeoutMs)
  expect(process.probes).toBe(1)
})

test('a sign that comes while the process is being asked is an answer', async () => {
  const { clock, process, silence, verdicts } = watch()
  process.alive = false
  await clock.advance(limits.responseTimeoutMs)
  silence.sign()
  await clock.advance(probeTimeoutMs)
  expect(verdicts).toEqual([])
  expect(process.probes).toBe(1)
})

test('alive, no tool at work and nothing said: after maxSilence it is over, not before', async () => {
  const { clock, process, verdicts } = watch()
  await clock.advance(limits.maxSilenceMs - 1)
  expect(verdicts).toEqual([])
  await clock.advance(10)
  expect(verdicts).toEqual(['no_progress'])
  expect(process.probes).toBe(5)
  expect(clock.pending).toBe(0)
})

test.each([
  ['a tool', { toolsRunning: ['Bash'] }],
  ['a person who is asked', { openQuestions: 1 }],
])('%s may take a day; when that is over, the silence since the last sign counts', async (_, busy) => {
  const { clock, process, verdicts } = watch()
  Object.assign(process, busy)
  await clock.advance(86_400_000)
  expect(verdicts).toEqual([])
  Object.assign(process, { toolsRunning: [], openQuestions: 0 })
  await clock.advance(limits.responseTimeoutMs + 10)
  expect(verdicts).toEqual(['no_progress'])
})

test('a tool at work does not save a process that hangs', async () => {
  const { clock, process, verdicts } = watch()
  process.toolsRunning = ['Bash']
  process.alive = false
  await clock.advance(limits.responseTimeoutMs + probeTimeoutMs)
  expect(verdicts).toEqual(['hung'])
})

test('a new session has its own time until its first sign, and is not asked', async () => {
  const { clock, process, verdicts } = watch({ firstSignMs: 30_000 })
  await clock.advance(29_999)
  expect(verdicts).toEqual([])
  await clock.advance(1)
  expect(verdicts).toEqual(['never_began'])
  expect(process.probes).toBe(0)
})

test('a new session that gave a sign is like any other', async () => {
  const { clock, process, silence, verdicts } = watch({ firstSignMs: 30_000 })
  await clock.advance(10_000)
  silence.sign()
  await clock.advance(limits.responseTimeoutMs - 1)
  expect(process.probes).toBe(0)
  await clock.advance(1)
  expect(process.probes).toBe(1)
  expect(verdicts).toEqual([])
})

test('a new session that fell silent after its first sign is asked after responseTimeout, also when its first sign may take longer', async () => {
  const { clock, process, silence, verdicts } = watch({ firstSignMs: 300_000 })
  process.alive = false
  await clock.advance(1000)
  silence.sign()
  await clock.advance(limits.responseTimeoutMs - 1)
  expect(process.probes).toBe(0)
  await clock.advance(1 + probeTimeoutMs)
  expect(verdicts).toEqual(['hung'])
  expect(clock.pending).toBe(0)
})

test('after its end it asks nobody and says nothing, not even of a question that was open', async () => {
  const { clock, process, silence, verdicts } = watch()
  process.alive = false
  await clock.advance(limits.responseTimeoutMs)
  silence.end()
  await clock.advance(limits.maxSilenceMs)
  expect(process.probes).toBe(1)
  expect(verdicts).toEqual([])
  expect(clock.pending).toBe(0)
})

test('while its machine cannot be reached, silence means nothing; afterwards it counts from zero', async () => {
  const { clock, process, verdicts } = watch()
  process.link.cutOff = {}
  await clock.advance(10 * limits.maxSilenceMs)
  expect([verdicts, process.probes]).toEqual([[], 0])
  process.link.cutOff = undefined
  await clock.advance(limits.maxSilenceMs - 1)
  expect(verdicts).toEqual([])
  await clock.advance(limits.responseTimeoutMs + 50)
  expect(verdicts).toEqual(['no_progress'])
})

test('a new session whose machine cannot be reached is waited for', async () => {
  const { clock, process, verdicts } = watch({ firstSignMs: 30_000 })
  process.link.cutOff = {}
  await clock.advance(90_000)
  expect(verdicts).toEqual([])
  process.link.cutOff = undefined
  await clock.advance(30_000)
  expect(verdicts).toEqual(['never_began'])
})

test('a tool of an MCP server that never answers is named after maxSilence, and ends the turn after six times that', async () => {
  const { clock, process, verdicts, silentTools } = watch()
  process.toolsRunning = ['mcp__db__query']
  await clock.advance(limits.maxSilenceMs - limits.responseTimeoutMs)
  expect(silentTools).toEqual([])
  await clock.advance(2 * limits.responseTimeoutMs)
  expect(silentTools).toContain('mcp__db__query')
  await clock.advance(4 * limits.maxSilenceMs)
  expect(verdicts).toEqual([])
  await clock.advance(2 * limits.maxSilenceMs)
  expect(verdicts).toEqual(['tool_unanswered'])
})

test('a tool of Claude Code has a limit of its own, and one of Iris is an open question', async () => {
  for (const [tools, openQuestions] of [
    [['Bash'], 0],
    [['mcp__iris__send_message'], 1],
  ] as const) {
    const { clock, process, verdicts, silentTools } = watch()
    Object.assign(process, { toolsRunning: tools, openQuestions })
    await clock.advance(10 * limits.maxSilenceMs)
    expect([...verdicts, ...silentTools]).toEqual([])
  }
})
