import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { callTool } from '../support/call-tool.ts'
import { CutLink } from '../support/cut-link.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { fakeClaude, type Script } from '../support/fake-claude.ts'
import { offersTo } from '../support/joined-iris.ts'
import { NatsServer } from '../support/nats.ts'
import { deliveredUuids, effects, overlappingWriters } from '../support/oracle.ts'
import { createWorld, type World } from '../support/world.ts'
import type { Chaos } from './chaos.ts'

const maxMessages = 4000
const messagesEach = 6
/** Between two messages, so that each fault meets some. */
const betweenMs = 1500
/** Longer than the lease of a host, so that another one may take its conversations. */
const maxMs = 14_000
/** An answer that has not come by then never comes. */
const patienceMs = 240_000

/** `files older`: the server comes back with what it had so long ago. */
const serverFaults = ['kill of the server', 'files lost', 'files older'] as const
/** The server is back at once without its files; the host that leads continues for a while, then dies. */
const leaderDies = 'files lost, and the leader dies later'
/** Of the leader then: so long that another host takes over. */
const deadMs = 14_000
/** How long a message waits for a host that is away, where the server has lost what that host did. */
const leaderAwayMs = 60_000

const who = fc.constantFrom('laptop', 'studio', 'tower')
const fault = fc.record({
  what: fc.constantFrom('kill', 'stop', 'cut', ...serverFaults, leaderDies),
  who,
  /** From the beginning of the round. Most faults last longer, so they overlap. */
  afterMs: fc.integer({ min: 0, max: 6000 }),
  lastsMs: fc.integer({ min: 0, max: maxMs }),
})
interface Fault {
  readonly what: string
  readonly who: string
  readonly afterMs: number
  readonly lastsMs: number
}
interface Kind {
  readonly faults: fc.Arbitrary<readonly Fault[]>
  /** How many tools of two seconds follow the effect of a message with this number, so that faults meet them there. */
  readonly toolsAfter: (job: number) => number
  /** How much longer a leader lives than another fault lasts. */
  readonly longerLife: number
}
const anyFaults: Kind = {
  faults: fc.array(fault, { minLength: 2, maxLength: 5 }),
  toolsAfter: (job) => (job % 3 === 0 ? 4 : 0),
  longerLife: 1,
}
/** The server loses its files while a long turn runs; its host lives on for up to a minute, then dies. */
const dyingLeader: Kind = {
  faults: fc.tuple(
    fault.map((each) => ({ ...each, what: leaderDies, who: 'studio' })),
    fault,
  ),
  toolsAfter: (job) => (job % messagesEach === 0 ? 28 : 0),
  longerLife: 4,
}

/** The answer of an agent that was given the start of a tool. */
const wasStarted = 'It was done.'

/** One tool with an effect for each message, and none where it continues after that tool has started. */
const scriptOf =
  (toolsAfter: Kind['toolsAfter']) =>
  (file: (name: string) => string): Script => ({
    rules: [
      { when: 'These tools had started', steps: [{ text: wasStarted }] },
      ...Array.from({ length: maxMessages }, (_, job) => ({
        when: `job-${job}.`,
        steps: [
          {
            tool: {
              name: 'Read',
              during: [{ appendFile: { path: file(`job-${job}`), line: 'done' } }, { delayMs: 400 }],
            },
          },
          ...Array.from({ length: toolsAfter(job) }, () => ({
            tool: { name: 'Read', during: [{ delayMs: 2000 }] },
          })),
          { text: 'Done.' },
        ],
      })),
    ],
  })

const lookEachMs = 50

/** What the asker's host hears of hosts that begin its messages: its store keeps the last one of each message. */
class HeardBeginnings implements Disposable {
  readonly #hosts = new Map<string, Set<string>>()
  readonly #store: DatabaseSync
  readonly #timer: NodeJS.Timeout

  constructor({ home }: World) {
    this.#store = new DatabaseSync(join(home, 'data/team-sessions.db'), { readOnly: true })
    const rows = this.#store.prepare('SELECT turn, host FROM cluster_begun WHERE heard = 1 OR log IS NOT NULL')
    this.#timer = setInterval(() => {
      for (const { turn, host } of rows.all() as { turn: string; host: string }[])
        this.#hosts.set(turn, this.begunAt(turn).add(host))
    }, lookEachMs)
  }

  /** The hosts that have begun a message, as far as the asker's host heard of it. */
  begunAt(turn: string): Set<string> {
    return this.#hosts.get(turn) ?? new Set()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#store.close()
  }
}

/** Two of three hosts share a team; hosts and server die, stop and are cut off at any moment, also several at once. */
export const hosts = (): Promise<Chaos> => chaosOf(anyFaults)

/** The same, where a server that lost its files meets a leader that dies later. */
export const leader = (): Promise<Chaos> => chaosOf(dyingLeader)

async function chaosOf({ faults: round, toolsAfter, longerLife }: Kind): Promise<Chaos> {
  const ends = new AsyncDisposableStack()
  const server = ends.use(await NatsServer.start())
  const claude = ends.use(fakeClaude({ script: scriptOf(toolsAfter) }))
  const links = new Map<string, CutLink>()
  const worlds = new Map<string, World>()
  const daemons = new Map<string, DaemonProcess>()
  const start = async (name: string): Promise<void> => {
    daemons.set(name, await DaemonProcess.start(worlds.get(name)!))
  }
  const pair = { hosts: ['studio', 'tower'] }
  const teams = { laptop: { frontend: {} }, studio: { backend: {}, pair }, tower: { pair } }
  for (const [name, own] of Object.entries(teams)) {
    const link = ends.use(await CutLink.to(server.port))
    links.set(name, link)
    const cluster = { servers: link.url, name, leaderAway: leaderAwayMs }
    const settings = { claudePath: claude.claudePath }
    worlds.set(name, ends.use(await createWorld({ teams: own, cluster, settings, env: claude.env })))
    await start(name)
  }
  for (const team of ['backend@studio', 'pair@studio', 'pair@tower']) await offersTo(daemons.get('laptop')!, team)
  let job = 0
  const asker = ends.use(new HeardBeginnings(worlds.get('laptop')!))

  async function suffer({ what, who, lastsMs }: Fault): Promise<void> {
    const daemon = daemons.get(who)!
    if (what === 'kill') await daemon.kill()
    else if (what === 'stop') process.kill(daemon.pid, 'SIGSTOP')
    else if (what === 'cut') links.get(who)!.cut()
    else await server.kill()
    const bringBack = what === 'files older' ? server.keepFiles() : undefined
    if (bringBack) await server.start()
    await delay(lastsMs)
    if (bringBack) await server.kill()
    bringBack?.()
    if (what === 'files lost') server.loseFiles()
    if (what === 'kill') await start(who)
    else if (what === 'stop') process.kill(daemon.pid, 'SIGCONT')
    else if (what === 'cut') links.get(who)!.heal()
    else await server.start()
  }

  /** One fault after the other for each process and each link; everything else at its time. */
  async function sufferAll(faults: readonly Fault[], count: (what: string) => void): Promise<void> {
    const ends = new Map<string, Promise<void>>()
    const inTurn = async (each: Fault): Promise<void> => {
      const isServer = serverFaults.some((what) => what === each.what)
      const place = isServer ? 'server' : each.what === 'cut' ? `link of ${each.who}` : each.who
      const end = (ends.get(place) ?? Promise.resolve()).then(() => suffer(each))
      ends.set(place, end)
      await end
    }
    const parts = faults.map(async (each) => {
      await delay(each.afterMs)
      if (each.what === leaderDies) {
        await inTurn({ ...each, what: 'files lost', lastsMs: 0 })
        await delay(longerLife * each.lastsMs)
        await inTurn({ ...each, who: each.who === 'laptop' ? 'studio' : each.who, what: 'kill', lastsMs: deadMs })
        return count(leaderDies)
      }
      await inTurn(each)
      const isServer = serverFaults.some((what) => what === each.what)
      count(isServer ? each.what : `${each.what} of ${each.who}`)
    })
    await Promise.all(parts)
  }

  return {
    async round(seed) {
      const faults = fc.sample(round, { seed, numRuns: 1 })[0]!
      const counts: Record<string, number> = {}
      const count = (what: string): void => {
        counts[what] = (counts[what] ?? 0) + 1
      }
      const jobs = Array.from({ length: messagesEach }, () => job++)
      const asked = async (number: number): Promise<Record<string, unknown>> => {
        const toTeam = number % 2 === 0 ? 'pair@studio' : 'backend@studio'
        const key = { thread: `job-${number}`, idempotencyKey: `job-${number}` }
        const message = { toTeam, message: `Please do job-${number}.`, timeout: 0, ...key }
        const until = performance.now() + patienceMs
        for (;;) {
          // The caller's own daemon may be the one that dies.
          const ended = await callTool(daemons.get('laptop')!, 'send_message', message).catch(() => undefined)
          if (ended?.['status'] !== undefined && ended['status'] !== 'running') return ended
          if (performance.now() > until) throw new Error(JSON.stringify({ faults, number, unanswered: ended ?? null }))
          await delay(200)
        }
      }
      const answers = jobs.map(async (number, index) => {
        await delay(index * betweenMs)
        return asked(number)
      })
      await sufferAll(faults, count)
      const ended = await Promise.all(answers)
      const oracle = claude.oracle()
      jobs.forEach((number, index) => {
        const { status, turnId, detail, response } = ended[index]!
        count(String(status))
        const done = effects(oracle).filter(({ path }) => path.endsWith(`/job-${number}`)).length
        const begun = deliveredUuids(oracle).filter((uuid) => uuid === turnId).length
        if (status === 'completed' ? done === 1 : done <= 1) return
        // The process died after Iris recorded the start of its tool and before the effect. The next process gets that start.
        if (done === 0 && response === wasStarted) return count('tool started without an effect')
        const begunAt = asker.begunAt(String(turnId))
        const lostFiles = faults.some(({ what }) => what.startsWith('files'))
        // Nobody who is asked can know of a beginning that the asker never heard of and of which the server lost the record.
        if (lostFiles && done === 2 && begunAt.size < 2) return count('begun twice, and the asker heard of one')
        throw new Error(JSON.stringify({ faults, number, status, detail, done, begun, begunAt: [...begunAt] }))
      })
      const overlaps = overlappingWriters(oracle)
      if (overlaps.length > 0) throw new Error(JSON.stringify({ faults, overlaps }))
      return counts
    },
    async [Symbol.asyncDispose]() {
      for (const daemon of daemons.values()) await daemon[Symbol.asyncDispose]()
      await ends[Symbol.asyncDispose]()
    },
  }
}
