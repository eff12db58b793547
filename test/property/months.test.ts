import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { schedule, Theatre } from './schedule.ts'

let theatre: Theatre
beforeAll(async () => {
  theatre = await Theatre.open()
})
afterAll(() => theatre[Symbol.dispose]())

/** The known ones, then new ones, each as many as there is time for; `npm run chaos -- months` plays more. */
const known = { seed: 20_261_122, numRuns: 300, forMs: 10_000 }
const fresh = { numRuns: 200, forMs: 7000 }
/** So many are played however slow the machine is. */
const least = 5
const timeoutMs = 300_000

test.each([
  ['known', known],
  ['fresh', fresh],
])(
  'in %s schedules of months no message is lost, doubled or crossed, and no session has two writers',
  async (_, { forMs, ...runs }) => {
    const until = performance.now() + forMs
    let played = 0
    let isBroken = false
    await fc.assert(
      fc.asyncProperty(schedule, async (each) => {
        // A schedule that broke something is made smaller, whatever the time.
        if (!isBroken && played >= least && performance.now() > until) return
        played += 1
        const { breaches } = await theatre.play(each)
        isBroken ||= breaches.length > 0
        expect(breaches).toEqual([])
      }),
      runs,
    )
    expect(played).toBeGreaterThanOrEqual(least)
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
