import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { schedule, Theatre } from './schedule.ts'

let theatre: Theatre
beforeAll(async () => {
  theatre = await Theatre.open()
})
afterAll(() => theatre[Symbol.dispose]())

/** The known ones, then new ones, each as many as there is time for; `npm run chaos -- months` plays more. */
const known = { seed: 20_261_122, numRuns: 300, interruptAfterTimeLimit: 10_000 }
const fresh = { numRuns: 200, interruptAfterTimeLimit: 7000 }
const timeoutMs = 300_000

test.each([
  ['known', known],
  ['fresh', fresh],
])(
  'in %s schedules of months no message is lost, doubled or crossed, and no session has two writers',
  async (_, runs) => {
    await fc.assert(
      fc.asyncProperty(schedule, async (each) => {
        expect((await theatre.play(each)).breaches).toEqual([])
      }),
      runs,
    )
  },
  timeoutMs,
)

test(
  'the same schedule is the same months',
  async () => {
    for (const each of fc.sample(schedule, { seed: 7, numRuns: 8 })) {
      const [first, second] = [await theatre.play(each), await theatre.play(each)]
      expect(second.story.replaceAll(/home-\d+/g, '')).toBe(first.story.replaceAll(/home-\d+/g, ''))
    }
  },
  timeoutMs,
)
