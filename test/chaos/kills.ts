import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { ask } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { effectOnce, effects } from '../support/effect-once.ts'
import { killClaude } from '../support/kill-claude.ts'
import { createWorld } from '../support/world.ts'
import type { Chaos } from './chaos.ts'

/** How long after the message it is killed, and who: the daemon, or the real Claude Code that works. */
const kill = fc.record({ who: fc.constantFrom('daemon', 'claude'), afterMs: fc.integer({ min: 0, max: 2500 }) })
const round = fc.record({
  names: fc.uniqueArray(fc.uuid(), { minLength: 4, maxLength: 4 }),
  kills: fc.array(kill, { minLength: 1, maxLength: 3 }),
})

/** `kill -9` at any moment of four turns with an effect: one effect each, and the answer is there afterwards. */
export async function kills(): Promise<Chaos> {
  const script = effectOnce('echo done >> FILE', (message) => `${message}.txt`)
  const backend = { grantPermission: 'yes', dangerous: true }
  const world = await createWorld({ script, teams: { frontend: {}, backend } })
  let daemon = await DaemonProcess.start(world)
  return {
    async round(seed) {
      const { names, kills } = fc.sample(round, { seed, numRuns: 1 })[0]!
      const counts: Record<string, number> = { messages: names.length }
      const count = (what: string): void => {
        counts[what] = (counts[what] ?? 0) + 1
      }
      const asked = (name: string) =>
        ask(daemon, 'backend', name, { fromTeam: 'frontend', idempotencyKey: name, thread: name })
      for (const { who, afterMs } of kills) {
        const cutOff = Promise.allSettled(names.map(asked))
        await delay(afterMs)
        count(`kills of the ${who}`)
        if (who === 'claude') killClaude(world.root)
        else {
          await daemon.kill()
          await cutOff
          daemon = await DaemonProcess.start(world)
        }
      }
      for (const { status, response, reason, name } of await Promise.all(
        names.map(async (name) => ({ ...(await asked(name)), name })),
      )) {
        count(status)
        const file = `${name}.txt`
        const left = existsSync(join(world.directory('backend'), file)) ? effects(world, file) : ''
        const isOnce = status === 'completed' ? left === 'done\n' && response?.endsWith(name) : left.length <= 5
        if (!isOnce) throw new Error(JSON.stringify({ kills, status, reason, response, left }))
      }
      return counts
    },
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}
