import { copyFileSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import type { Script } from '../../src/app/demo/script.ts'
import { homePaths } from '../../src/platform/config/home.ts'
import { ask } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { plainHttp } from '../support/plain-http.ts'
import { type Respond, type Taken, WebhookEndpoint } from '../support/webhook-endpoint.ts'
import { createWorld, spoken, type World } from '../support/world.ts'
import type { Chaos } from './chaos.ts'

const hanging: Parameters<Respond>[0][] = []

/** How a receiver behaves. It has the event in any case: one that is posted again has its id. */
const habits: Readonly<Record<string, Respond>> = {
  takes: (response) => response.writeHead(204).end(),
  'answers 500': (response) => response.writeHead(500).end(),
  redirects: (response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
  'dies before it answers': (response) => response.destroy(),
  'dies in the middle': (response) =>
    response.writeHead(200, { 'content-length': '9' }).write('half', () => response.destroy()),
  'answers late': (response) => setTimeout(() => response.writeHead(204).end(), 700).unref(),
  'wants another time': (response) => response.writeHead(503, { 'retry-after': '1' }).end(),
  hangs: (response) => hanging.push(response),
  'is gone': (response) => response.writeHead(410).end(),
}
/** 410 ends all posts, so it is rarer than the others. */
const usual = Object.keys(habits).filter((habit) => habit !== 'is gone')
const poisons = ['answers 500', 'redirects', 'dies before it answers', 'dies in the middle', 'wants another time']

/**
 * When the daemon is killed: before its n-th write since the first turn has ended, when the receiver has the n-th post,
 * when it has answered that with 2xx, or after a time.
 */
const death = fc.oneof(
  fc.record({ at: fc.constant('write' as const), count: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ at: fc.constantFrom('post' as const, 'answer' as const), count: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ at: fc.constant('time' as const), count: fc.integer({ min: 0, max: 1500 }) }),
)
const round = fc.record({
  names: fc.uniqueArray(fc.uuid(), { minLength: 80, maxLength: 80 }),
  behaves: fc.array(fc.constantFrom(...usual, ...usual, 'takes', 'is gone'), { minLength: 3, maxLength: 12 }),
  deaths: fc.array(death, { minLength: 2, maxLength: 3 }),
  /** After the last kill the store is as it was after the first one. */
  isRestored: fc.constantFrom(true, false, false),
  poison: fc.constantFrom(...poisons),
})
type Death = typeof death extends fc.Arbitrary<infer T> ? T : never

/** The longest that an event may wait because another one is not taken, milliseconds. */
const mostDelayMs = 30_000
const threads = 5

interface Event {
  readonly type: string
  readonly timestamp: string
  readonly data: {
    readonly turnId: string
    readonly sequence: number
    readonly thread: string
    readonly metadata: Named
  }
}
type Named = { readonly name: string }
const eventIn = ({ body }: Taken): Event => JSON.parse(body)
const idOf = ({ headers }: Taken): string => String(headers['webhook-id'])

/**
 * `kill -9` while events are posted to a receiver of bad habits, and stores that are put back: each event arrives, each
 * under one id, in order by their numbers; one that is never taken holds up no other.
 */
export async function outbox(): Promise<Chaos> {
  // A continuation after a kill is answered too: a script that runs tools would wait for a person.
  const script: Script = ({ conversation: { lastUserText } }) => ({ text: spoken(lastUserText) })
  const world = await createWorld({ claude: 'fake', script, teams: { frontend: {}, backend: {} } })
  writeFileSync(join(world.home, 'ci.secret'), 'a secret of thirty-two characters', { mode: 0o600 })
  const chaos = new Outboxes(world, await DaemonProcess.start(world))
  await chaos.listen()
  return chaos
}

class Outboxes implements Chaos {
  readonly #world: World
  #daemon: DaemonProcess
  #receiver!: WebhookEndpoint
  /** What the receiver does with one post after the other; then it takes everything. */
  #behaves: readonly string[] = []
  #death: Death | undefined
  /** Posts and answers of this start of the daemon. */
  #seen = { post: 0, answer: 0 }
  #kills: Record<string, number> = {}
  #poisoned: { readonly name: string; readonly habit: string } | undefined
  /** When an event was answered with 2xx, milliseconds since the epoch. */
  readonly #takenAt = new Map<string, number>()

  constructor(world: World, daemon: DaemonProcess) {
    this.#world = world
    this.#daemon = daemon
  }

  async listen(): Promise<void> {
    this.#receiver = await WebhookEndpoint.start((response, taken, attempt) => {
      this.#dieAt('post')
      const id = idOf(taken)
      response.on('finish', () => {
        if (response.statusCode >= 300) return
        if (!this.#takenAt.has(id)) this.#takenAt.set(id, Date.now())
        this.#dieAt('answer')
      })
      const isPoisoned = eventIn(taken).data.metadata.name === this.#poisoned?.name
      const habit = this.#behaves[attempt % Math.max(1, this.#behaves.length)] ?? 'takes'
      habits[isPoisoned ? this.#poisoned!.habit : habit]!(response, taken, attempt)
    })
    const events = ['turn-accepted', 'turn-settled']
    this.#world.writeConfig({ callbacks: { ci: { url: this.#receiver.url, secretFile: 'ci.secret', events } } })
    await this.#restart()
  }

  async round(seed: number): Promise<Readonly<Record<string, number>>> {
    const given = fc.sample(round, { seed, numRuns: 1 })[0]!
    const { names, deaths, isRestored } = given
    this.#kills = {}
    const from = this.#receiver.taken.length
    const first = this.#newest()
    this.#behaves = given.behaves
    const [stormy, calm] = [names.slice(0, -10), names.slice(-10)]
    await this.#storm(stormy, deaths, isRestored)
    this.#behaves = []
    for (const response of hanging.splice(0)) response.destroy()
    await this.#arrive(stormy)
    const poisonMs = await this.#poison(calm, given.poison)
    await this.#arrive(calm)
    const events = this.#kept(first)
    try {
      this.#check(events, this.#receiver.taken.slice(from), isRestored)
    } catch (error) {
      throw new Error(`${String(error)}\n${JSON.stringify(given)}`)
    }
    return {
      events: events.length,
      posts: this.#receiver.taken.length - from,
      'stores put back': Number(isRestored),
      'most ms behind a poisoned one': poisonMs,
      ...this.#kills,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#daemon[Symbol.asyncDispose]()
    await this.#receiver[Symbol.asyncDispose]()
    await this.#world[Symbol.asyncDispose]()
  }

  /** Messages are asked again and again, and the daemon is killed each time. */
  async #storm(names: readonly string[], deaths: readonly Death[], isRestored: boolean): Promise<void> {
    for (const [index, death] of deaths.entries()) {
      await this.#restart(death)
      const all = Promise.allSettled(names.map((name, at) => this.#ask(name, at)))
      const dead = this.#daemon.exited.then(() => true)
      // It may have too little to do to come that far.
      const limit =
        death.at === 'time' ? delay(death.count) : Promise.race([all.then(() => delay(3000)), delay(30_000)])
      const at = (await Promise.race([dead, limit])) === true ? death.at : 'time'
      this.#kills[`kills at a ${at}`] = (this.#kills[`kills at a ${at}`] ?? 0) + 1
      await this.#kill()
      await all
      if (!isRestored) continue
      if (index === 0) this.#copy('', '.backup')
      if (index === deaths.length - 1) this.#copy('.backup', '')
    }
    await this.#restart()
  }

  /** Everything arrives once the receiver behaves. */
  async #arrive(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name, at) => this.#ask(name, at)))
    await eventually(async () => {
      await this.#enable()
      return this.#kept(0).every(({ id }) => this.#takenAt.has(id))
    }, 'every event arrives').catch((error: unknown) => {
      const missing = this.#kept(0).filter(({ id }) => !this.#takenAt.has(id))
      throw new Error(`${String(error)}: ${JSON.stringify(missing)}\n${this.#daemon.log}`)
    })
  }

  /** One event is never taken meanwhile. Returns how long the slowest other one took, milliseconds. */
  async #poison(names: readonly string[], habit: string): Promise<number> {
    this.#poisoned = { name: names[0]!, habit }
    const before = this.#newest()
    // The poisoned one is the first of its conversation.
    await this.#ask(names[0]!, 0)
    await Promise.all(names.slice(1).map((name, at) => this.#ask(name, at + 1)))
    const others = () => this.#kept(before).filter(({ name }) => name !== names[0])
    await eventually(() => others().every(({ id }) => this.#takenAt.has(id)), 'all others arrive')
    const slowest = Math.max(...others().map(({ id, at }) => this.#takenAt.get(id)! - at))
    if (slowest > mostDelayMs) throw new Error(`an event waited ${slowest} ms behind one that ${habit}`)
    this.#poisoned = undefined
    return slowest
  }

  /** What a receiver has that drops equal ids. */
  #check(events: readonly Kept[], posts: readonly Taken[], isRestored: boolean): void {
    const known = new Set(events.map(({ id }) => id))
    const bodies = Map.groupBy(posts, idOf)
    for (const [id, same] of bodies) {
      if (new Set(same.map(({ body }) => body)).size > 1) throw new Error(`${id} means different events`)
      if (!known.has(id) && !isRestored) throw new Error(`${id} is no event`)
    }
    const received = events.map(({ id }) => eventIn(bodies.get(id)![0]!))
    for (const [what, same] of Map.groupBy(received, ({ type, data }) => `${type} ${data.turnId}`))
      if (same.length > 1) throw new Error(`${what} came under ${same.length} ids`)
    for (const [thread, all] of Map.groupBy(received, ({ data }) => data.thread)) {
      const sorted = all.toSorted((a, b) => a.data.sequence - b.data.sequence)
      const of = (type: string) => sorted.filter((each) => each.type === type).map(({ data }) => data.turnId)
      if (String(of('turn-accepted')) !== String(of('turn-settled'))) throw new Error(`${thread} is out of order`)
      if (isRestored) continue
      const begun = [...bodies.values()].map(([one]) => eventIn(one!).data).filter((data) => data.thread === thread)
      const late = begun.find(({ sequence }, at) => at > 0 && sequence < begun[at - 1]!.sequence)
      if (late !== undefined) throw new Error(`${thread}: ${late.sequence} was begun after a later one`)
    }
  }

  #ask(name: string, at: number) {
    const more = { idempotencyKey: name, thread: `t${at % threads}`, callback: 'ci', metadata: { name } }
    return ask(this.#daemon, 'backend', `say ${name}`, { fromTeam: 'frontend', timeout: 0, ...more })
  }

  #dieAt(at: 'post' | 'answer'): void {
    this.#seen[at] += 1
    if (this.#death?.at === at && this.#death.count === this.#seen[at]) void this.#daemon.kill()
  }

  async #kill(): Promise<void> {
    this.#death = undefined
    await this.#daemon.kill()
  }

  async #restart(death?: Death): Promise<void> {
    await this.#kill()
    this.#seen = { post: 0, answer: 0 }
    this.#death = death
    this.#daemon = await DaemonProcess.start(this.#world, death?.at === 'write' ? `write-${death.count}` : 'none')
    await this.#enable()
  }

  async #enable(): Promise<void> {
    const headers = { authorization: `Bearer ${this.#daemon.owner}`, 'content-type': 'application/json' }
    // It may die at once.
    await plainHttp(this.#daemon.port, 'POST', '/api/callbacks/ci/enable', headers, '{}').catch(() => {})
  }

  /** Copies the files of the store, which nobody has open. */
  #copy(from: string, to: string): void {
    const { storeMemory } = homePaths(this.#world.home)
    for (const file of [...['', '-wal', '-shm'].map((end) => `${this.#store}${end}`), storeMemory]) {
      rmSync(`${file}${to}`, { force: true })
      if (existsSync(`${file}${from}`)) copyFileSync(`${file}${from}`, `${file}${to}`)
    }
  }

  get #store(): string {
    return join(this.#world.home, 'data/team-sessions.db')
  }

  #newest(): number {
    return this.#rows('SELECT COALESCE(MAX(sequence), 0) AS newest FROM journal')[0]!['newest'] as number
  }

  /** The events that the store has after this row. */
  #kept(after: number): Kept[] {
    return this.#rows(
      `SELECT journal.at, (SELECT id FROM journal_epochs WHERE first <= journal.sequence ORDER BY sequence DESC LIMIT 1)
         || '-' || journal.sequence AS id, metadata ->> 'name' AS name
       FROM journal JOIN turns ON turns.id = turn
       WHERE journal.sequence > ${after} AND callback = 'ci' ORDER BY journal.sequence`,
    ) as unknown as Kept[]
  }

  #rows(sql: string): Record<string, unknown>[] {
    using database = new DatabaseSync(this.#store, { readOnly: true })
    return database.prepare(sql).all()
  }
}

/** An event of the store: its id, as it must be posted, and when it happened. */
interface Kept {
  readonly id: string
  readonly at: number
  readonly name: string
}
