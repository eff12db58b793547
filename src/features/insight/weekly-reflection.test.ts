import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { newStore } from '../../../test/support/new-store.ts'
import { createLog } from '../../base/lib/log.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import { ReflectionRuns } from './rows/reflection-runs.ts'
import { WeeklyReflection, type WeeklyReflectionParts } from './weekly-reflection.ts'

const dayMs = 86_400_000

function weekly(
  settings: { reflectWeekly: boolean; reflection?: boolean },
  runs = new ReflectionRuns(newStore()),
  clock = new FakeClock(),
) {
  const published: IrisEvent[] = []
  let failures = 0
  const parts = {
    config: () => ({ insight: { reflection: true, ...settings } }),
    clock,
    runs,
    log: createLog({ least: () => 'error' }),
    suggestions: { decided: () => [] },
    publish: (event: IrisEvent) => published.push(event),
    insight: {
      reflect: async () => {
        if (failures-- > 0) throw new Error('the thread has ended')
        return { read: { asks: 12 }, askedTwice: [{}, {}], rules: [{}] }
      },
    },
  } as unknown as WeeklyReflectionParts
  return {
    published,
    clock,
    runs,
    reflection: new WeeklyReflection(parts),
    fail: (times: number) => (failures = times),
  }
}

test('switched on it runs at once and then each week; what was found is published and stored', async () => {
  const { reflection, published, clock, runs } = weekly({ reflectWeekly: true })
  reflection.begin()
  await clock.advance(1)
  expect(published).toEqual([{ type: 'reflected', asks: 12, suggestions: 3 }])
  expect(runs.last()).toMatchObject({ asks: 12, suggestions: 3 })
  await clock.advance(6 * dayMs)
  expect(published).toHaveLength(1)
  await clock.advance(dayMs)
  expect(published).toHaveLength(2)
  reflection.close()
  await clock.advance(30 * dayMs)
  expect(published).toHaveLength(2)
})

test('after weeks in which Iris did not run, and after each restart, it runs at most once', async () => {
  const first = weekly({ reflectWeekly: true })
  first.reflection.begin()
  await first.clock.advance(1)
  first.reflection.close()
  await first.clock.advance(40 * dayMs)
  const second = weekly({ reflectWeekly: true }, first.runs, first.clock)
  for (let n = 0; n < 3; n++) second.reflection.begin()
  await second.clock.advance(1)
  second.reflection.begin()
  await second.clock.advance(1)
  expect(second.published).toHaveLength(1)
})

test('switched off it does not run; one that failed is tried again the next day', async () => {
  const settings = { reflectWeekly: false, reflection: true }
  const { reflection, published, clock, fail } = weekly(settings)
  const isSilent = async () => {
    reflection.begin()
    await clock.advance(30 * dayMs)
    expect(published).toEqual([])
  }
  await isSilent()
  Object.assign(settings, { reflectWeekly: true, reflection: false })
  await isSilent()
  settings.reflection = true
  fail(1)
  reflection.begin()
  await clock.advance(1)
  expect(published).toEqual([])
  await clock.advance(dayMs)
  expect(published).toHaveLength(1)
})
