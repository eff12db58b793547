import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { schedule, Theatre } from './schedule.ts'

let theatre: Theatre
beforeAll(async () => {
  theatre = await Theatre.open()
})
afterAll(() => theatre[Symbol.dispose]())

/** `npm run chaos -- months` plays new ones for as long as it is given. */
const schedules = 40
const timeoutMs = 300_000

test(
  'in schedules of months no message is lost, doubled or crossed, and no session has two writers',
  async () => {
    let played = 0
    await fc.assert(
      fc.asyncProperty(schedule, async (each) => {
        played += 1
        expect((await theatre.play(each)).breaches).toEqual([])
      }),
      { numRuns: schedules },
    )
    expect(played).toBe(schedules)
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
