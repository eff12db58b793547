import fc from 'fast-check'
import { type Schedule, schedule, Theatre } from '../property/schedule.ts'
import type { Chaos } from './chaos.ts'

const schedulesARound = 50

/** Random schedules of months in virtual time; one that breaks a promise is made as short as it can be. */
export async function months(): Promise<Chaos> {
  const theatre = await Theatre.open()
  return {
    async round(seed) {
      const counts: Record<string, number> = { schedules: 0 }
      const count = (what: string, times: number): void => {
        counts[what] = (counts[what] ?? 0) + times
      }
      const play = async (each: Schedule): Promise<void> => {
        const { breaches, tally } = await theatre.play(each)
        count('schedules', 1)
        for (const [what, times] of Object.entries(tally)) count(what, times)
        if (breaches.length > 0) throw new Error(breaches.join('\n'))
      }
      const { failed, counterexample, errorInstance } = await fc.check(fc.asyncProperty(schedule, play), {
        numRuns: schedulesARound,
        seed,
      })
      if (failed) throw new Error(`${JSON.stringify(counterexample?.[0])}\n${String(errorInstance)}`)
      return counts
    },
    [Symbol.asyncDispose]: async () => theatre[Symbol.dispose](),
  }
}
