import { bothVersions } from '../support/real-claude.ts'
import type { Chaos } from './chaos.ts'
import { TurnPlay } from './turn-play.ts'

/** Whose turn it is: random orders of messages, ends of commands, cancels, sleep and crashes, with both versions of Claude Code. */
export async function turns(): Promise<Chaos> {
  const plays = await Promise.all(bothVersions.map((version) => TurnPlay.start(version)))
  return {
    async round(seed) {
      const counts: Record<string, number> = {}
      for (const [at, play] of plays.entries()) {
        const version = bothVersions[at]!
        const more = await play.round(seed).catch((error: unknown) => {
          throw new Error(`Claude Code ${version}\n${String(error)}`)
        })
        for (const [what, times] of Object.entries(more)) counts[what] = (counts[what] ?? 0) + times
      }
      return counts
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(plays.map((play) => play[Symbol.asyncDispose]()))
    },
  }
}
