import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { asOwner } from '../support/owner.ts'
import { spoken } from '../support/world.ts'

const teams = { frontend: {}, backend: {}, billing: {} }
let gate: Promise<unknown> = Promise.resolve()

async function* later(text: string): AsyncGenerator<string> {
  await gate
  yield text
}

/** Each ask of backend makes it ask billing, but "wait" is answered when the test lets it. */
const script: Script = ({ conversation: { lastUserText, step } }) => {
  const said = spoken(lastUserText)
  if (said === 'wait') return { stream: later('waited') }
  return said.startsWith('order') && step === 0
    ? { toolUses: [{ name: 'mcp__iris__send_message', input: { toTeam: 'billing', message: `price of ${said}` } }] }
    : { text: 'yes' }
}

test('with the real Claude Code: what a team usually asks next is started while it works, when switched on', async () => {
  await using iris = await TestIris.start({ claude: 'either', script, teams, settings: { prewarmPairs: 0 } })
  for (const order of ['order 1', 'order 2', 'order 3']) await ask(iris, 'backend', order, { fromTeam: 'frontend' })
  await iris.restart()
  await iris.daemon.warmed
  // Off: nothing is started that nobody asked for.
  await ask(iris, 'backend', 'hello', { fromTeam: 'frontend' })
  const spawned = () =>
    iris.rows(`SELECT 1 FROM team_sessions WHERE to_team = 'billing' AND process_state <> 'stopped'`)
  expect(spawned()).toEqual([])

  iris.world.writeConfig({ teams, insight: { warmAhead: true } })
  await iris.restart()
  await iris.daemon.warmed
  gate = iris.event('warmed-ahead')
  expect(await ask(iris, 'backend', 'wait', { fromTeam: 'frontend' })).toMatchObject({ response: 'waited' })
  expect(await iris.event('warmed-ahead')).toMatchObject({ from: 'backend', to: 'billing', asker: 'frontend' })
  expect(await iris.event('process-spawned', ({ to }) => to === 'billing')).toMatchObject({ from: 'backend' })
  // The message that comes next finds the process.
  const { turnId } = await ask(iris, 'billing', 'the price?', { fromTeam: 'backend' })
  const { steps } = (await asOwner(iris, 'trace_turn', { turnId })) as { steps: { text: string }[] }
  const why =
    /^Its process was started early, because frontend had asked backend, which usually asks billing next\. That saved \d+(?:\.\d s| ms)\.$/
  expect(steps.map(({ text }) => text)).toContainEqual(expect.stringMatching(why))
  const { startedAhead } = (await asOwner(iris, 'reflect', {})) as { startedAhead: { savedMs: number } }
  expect(startedAhead).toEqual({ starts: 1, used: 1, savedMs: expect.any(Number) })
  expect(startedAhead.savedMs).toBeGreaterThan(0)
  const { entries } = (await asOwner(iris, 'list_audit', {})) as { entries: { action: string; subject: string }[] }
  expect(entries).toContainEqual(expect.objectContaining({ action: 'process.warmed', subject: 'backend→billing' }))
})
