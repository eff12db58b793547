import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { ask } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { obedient } from '../support/obedient.ts'
import { plainHttp } from '../support/plain-http.ts'
import { type Respond, type Taken, WebhookEndpoint } from '../support/webhook-endpoint.ts'
import { createWorld } from '../support/world.ts'
import type { Chaos } from './chaos.ts'

/** How a receiver behaves. It has the event in any case: one that is posted again has its id. */
const behaviours: Readonly<Record<string, Respond>> = {
  takes: (response) => response.writeHead(204).end(),
  'answers 500': (response) => response.writeHead(500).end(),
  redirects: (response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
  'dies before it answers': (response) => response.destroy(),
  'dies in the middle': (response) =>
    response.writeHead(200, { 'content-length': '9' }).write('half', () => response.destroy()),
  'answers late': (response) => setTimeout(() => response.writeHead(204).end(), 700).unref(),
  'wants another time': (response) => response.writeHead(503, { 'retry-after': '1' }).end(),
  hangs: () => {},
  'is gone': (response) => response.writeHead(410).end(),
}

const round = fc.record({
  names: fc.uniqueArray(fc.uuid(), { minLength: 20, maxLength: 20 }),
  behaves: fc.array(fc.constantFrom(...Object.keys(behaviours)), { minLength: 3, maxLength: 12 }),
  killsAfterMs: fc.array(fc.integer({ min: 0, max: 1500 }), { minLength: 1, maxLength: 3 }),
})

const eventIn = ({ body }: Taken) =>
  JSON.parse(body) as { data: { turnId: string; sequence: number; metadata: unknown } }

/** `kill -9` while events are posted to a receiver of bad habits: each event arrives, each under one id, in order by their numbers. */
export async function outbox(): Promise<Chaos> {
  const world = await createWorld({ claude: 'fake', script: obedient, teams: { frontend: {}, backend: {} } })
  let behaves: readonly string[] = []
  const receiver = await WebhookEndpoint.start((response, taken, attempt) => {
    const habit = behaves[attempt % Math.max(1, behaves.length)] ?? 'takes'
    behaviours[habit]!(response, taken, attempt)
  })
  writeFileSync(join(world.home, 'ci.secret'), 'a secret of thirty-two characters', { mode: 0o600 })
  world.writeConfig({ callbacks: { ci: { url: receiver.url, secretFile: 'ci.secret' } } })
  let daemon = await DaemonProcess.start(world)
  const enable = () => {
    const headers = { authorization: `Bearer ${daemon.owner}`, 'content-type': 'application/json' }
    return plainHttp(daemon.port, 'POST', '/api/callbacks/ci/enable', headers, '{}')
  }
  return {
    async round(seed) {
      const { names, behaves: habits, killsAfterMs } = fc.sample(round, { seed, numRuns: 1 })[0]!
      const before = receiver.taken.length
      behaves = habits
      const asked = (name: string, at: number) => {
        const more = { idempotencyKey: name, thread: `t${at % 5}`, callback: 'ci', metadata: { name } }
        return ask(daemon, 'backend', `say ${name}`, { fromTeam: 'frontend', timeout: 0, ...more })
      }
      for (const afterMs of killsAfterMs) {
        const cutOff = Promise.allSettled(names.map(asked))
        await delay(afterMs)
        await daemon.kill()
        await cutOff
        daemon = await DaemonProcess.start(world)
      }
      const ended = await Promise.all(names.map(asked))
      behaves = []
      const arrived = () => Map.groupBy(receiver.taken.slice(before), (each) => eventIn(each).data.turnId)
      await eventually(async () => {
        await enable()
        return ended.every(({ turnId }) => arrived().has(turnId))
      }, 'every event arrives')
      for (const { turnId } of ended) {
        const ids = new Set(
          arrived()
            .get(turnId)!
            .map(({ headers }) => headers['webhook-id']),
        )
        if (ids.size !== 1) throw new Error(JSON.stringify({ turnId, ids: [...ids], habits, killsAfterMs }))
      }
      return { events: ended.length, posts: receiver.taken.length - before, kills: killsAfterMs.length }
    },
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}
