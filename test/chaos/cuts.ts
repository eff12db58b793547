import { playCuts } from '../cuts/play-cuts.ts'
import type { Chaos } from './chaos.ts'

const shells = ['dash', 'bash', 'busybox'] as const
const playsOfEach = 2
const cutsEach = 12

/** The link to a host is cut at random moments of its conversation with six programs there: every byte arrives once. */
export async function cuts(): Promise<Chaos> {
  return {
    async round(seed) {
      const plays = Array.from({ length: shells.length * playsOfEach }, (_, index) =>
        playCuts(seed * 1000 + index, shells[index % shells.length]!, cutsEach),
      )
      const played = await Promise.all(plays)
      const breaches = played.flatMap((each) => each.breaches)
      if (breaches.length > 0) throw new Error(breaches.join('\n'))
      const sum = (of: 'cuts' | 'bytes'): number => played.reduce((total, each) => total + each[of], 0)
      return { programs: plays.length, cuts: sum('cuts'), bytes: sum('bytes') }
    },
    async [Symbol.asyncDispose]() {},
  }
}
