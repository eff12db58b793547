import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { asOwner } from '../support/owner.ts'
import { Stage } from '../support/stage.ts'

const teams = { frontend: {}, backend: {}, mobile: {}, billing: {} }

const script: Script = () => ({ text: 'yes' })

async function storyOf(iris: TestIris, turnId: string): Promise<string[]> {
  const { steps } = (await asOwner(iris, 'trace_turn', { turnId })) as { steps: { text: string }[] }
  return steps.map(({ text }) => text)
}

async function auditOf(iris: TestIris): Promise<string[]> {
  const { entries } = (await asOwner(iris, 'list_audit', {})) as { entries: { action: string; subject: string }[] }
  return entries.map(({ action, subject }) => `${action} ${subject}`)
}

test('with the real Claude Code: the process that is expected last makes room, and a restart forgets nothing', async () => {
  const clock = new JumpingClock({ goesOn: true })
  await using iris = await TestIris.start({ script, clock, teams, settings: { prewarmPairs: 0, maxProcesses: 2 } })
  // One conversation continues each hour, and one each minute.
  for (const order of ['one', 'two', 'three']) {
    await ask(iris, 'mobile', order, { fromTeam: 'billing' })
    await clock.jump(3_600_000)
  }
  for (const order of ['one', 'two', 'three', 'four']) {
    await ask(iris, 'backend', order, { fromTeam: 'frontend' })
    await clock.jump(60_000)
  }
  iris.world.writeConfig({ teams, settings: { prewarmPairs: 0, maxProcesses: 2 }, insight: { loadBalancing: true } })
  await iris.restart()
  await iris.daemon.warmed
  await ask(iris, 'backend', 'again', { fromTeam: 'frontend' })
  await ask(iris, 'mobile', 'again', { fromTeam: 'billing' })
  // A third conversation needs a place. That of backend was used longest ago, and is asked most often.
  await ask(iris, 'billing', 'hello', { fromTeam: 'mobile' })
  expect(await iris.event('process-kept')).toMatchObject({ to: 'backend', instead: { from: 'billing', to: 'mobile' } })
  const { turnId } = await ask(iris, 'backend', 'five', { fromTeam: 'frontend' })
  expect(await storyOf(iris, turnId)).toContainEqual(
    expect.stringMatching(
      /^Its process was kept .* billing→mobile was expected to need its own later\. That saved \d+(?:\.\d s| ms)\.$/,
    ),
  )
  const { balanced } = (await asOwner(iris, 'reflect', {})) as { balanced: { savedMs: number } }
  expect(balanced).toEqual({ kept: 1, used: 1, savedMs: expect.any(Number), overtaken: 0 })
  expect(balanced.savedMs).toBeGreaterThan(0)
  expect(await auditOf(iris)).toContain('process.kept frontend→backend')
})

/** By its message, "hold" is answered when the test says so. */
const holds = (file: (name: string) => string) => ({
  rules: [
    { when: 'hold a', steps: [{ partial: 'held a' }, { waitForFile: file('a') }, { text: '.' }] },
    { when: 'hold b', steps: [{ partial: 'held b' }, { waitForFile: file('b') }, { text: '.' }] },
    { steps: [{ text: 'yes' }] },
  ],
})

test.each([true, false])('of two that wait, the one that is usually answered sooner is first: %s', async (isOn) => {
  const queueTimeout = 70_000
  await using stage = await Stage.start({
    script: holds,
    settings: { maxProcesses: 1, queueTimeout },
    insight: { loadBalancing: isOn },
  })
  const { iris, clock, fake } = stage
  const say = (thread: string, message: string) => ask(iris, 'backend', message, { fromTeam: 'frontend', thread })
  // So far, "slow" took ten seconds for an answer.
  const slow = say('slow', 'hold a')
  await stage.said('held a')
  await clock.jump(10_000)
  fake.open('a')
  await slow
  await say('quick', 'hello')
  const busy = say('busy', 'hold b')
  await stage.said('held b')
  const waiting = [say('slow', 'hello')]
  await eventually(() => clock.pending(queueTimeout) === 1, 'it waits')
  waiting.push(say('quick', 'hello'))
  await eventually(() => clock.pending(queueTimeout) === 2, 'both wait')
  const settled: string[] = []
  iris.events$.subscribe((event) => event.type === 'turn-settled' && settled.push(event.thread))
  settled.length = 0
  fake.open('b')
  const [ofSlow, ofQuick] = await Promise.all(waiting)
  await busy
  expect(settled).toEqual(isOn ? ['busy', 'quick', 'slow'] : ['busy', 'slow', 'quick'])
  const stories = [...(await storyOf(iris, ofSlow!.turnId)), ...(await storyOf(iris, ofQuick!.turnId))]
  const overtaking = stories.filter((text) => /got a process (?:before|first)/.test(text))
  expect(overtaking).toEqual(
    isOn
      ? [
          `Turn ${ofQuick!.turnId} came later but got a process first, because it is usually answered sooner. At most four messages may do that.`,
          `It got a process before turn ${ofSlow!.turnId}, which had waited longer, because this team usually answers this asker sooner.`,
        ]
      : [],
  )
  await expect(asOwner(iris, 'reflect', {})).resolves.toMatchObject({ balanced: { overtaken: isOn ? 1 : 0 } })
})
