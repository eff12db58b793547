import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DaemonProcess } from '../test/support/daemon-process.ts'
import { eventually } from '../test/support/eventually.ts'
import { fakeClaude } from '../test/support/fake-claude.ts'
import { mainFile } from '../test/support/program.ts'
import { createWorld, type World } from '../test/support/world.ts'
import { residentMiB } from './daemon-figures.ts'
import { fillTurns, sessionId, turnId } from './growth-store.ts'
import { type Held, OtherCaller } from './held.ts'
import { HttpCaller } from './http-caller.ts'
import { ms, timed } from './measure.ts'
import type { Row } from './row.ts'

/** `npm run bench -- growth small` takes a minute: it shows that the tables can be made, and no more. */
const isSmall = process.argv.includes('small')
const turnCounts = isSmall ? [100, 1000] : [1000, 10_000, 100_000, 1_000_000]
const teamCounts = isSmall ? [5, 20] : [10, 100, 500, 1000]
const askerCounts = isSmall ? [1, 4] : [1, 4, 16, 64]
const answerSizes = isSmall ? [0.1, 1] : [0.1, 1, 10, 50]

const rounds = 3
const hourMs = 3_600_000
const maxHeld = 'held ≤ 50 ms'
const patienceMs = 600_000

/** How all that grows costs one caller, and all others: for each size what an operation took, and how long it held the daemon. */
export async function growth(): Promise<readonly Row[]> {
  return [...(await byTurns()), ...(await byTeams()), ...(await byAskers()), ...(await bySizes())]
}

interface Grown extends AsyncDisposable {
  readonly world: World
  readonly daemon: DaemonProcess
  /** Has the owner's rights. */
  readonly caller: HttpCaller
  readonly other: OtherCaller
  /** From the start of the process to its first answer, milliseconds. */
  readonly startMs: number
}

type WorldOptions = NonNullable<Parameters<typeof createWorld>[0]>

async function grown(
  options: Pick<WorldOptions, 'teams' | 'settings'>,
  script: object = {},
  fill: (world: World) => void = () => {},
): Promise<Grown> {
  const fake = fakeClaude({ bare: true, ...script })
  const settings = { claudePath: fake.claudePath, env: fake.env, ...options.settings }
  const world = await createWorld({ ...options, settings })
  fill(world)
  let daemon: DaemonProcess | undefined
  const startMs = await timed(async () => {
    daemon = await DaemonProcess.start(world)
    await new HttpCaller(daemon).call('get_date', {})
  })
  const endpoint = { port: daemon!.port, token: daemon!.owner }
  await eventually(() => existsSync(join(world.home, 'daemon.sock')), 'the socket in the home')
  const [caller, other] = [new HttpCaller(endpoint, { maxSockets: 2000 }), await OtherCaller.start(endpoint)]
  return {
    world,
    daemon: daemon!,
    caller,
    other,
    startMs,
    async [Symbol.asyncDispose]() {
      other[Symbol.dispose]()
      caller.close()
      await daemon![Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
      fake[Symbol.dispose]()
    },
  }
}

const row = (what: string, measured: string, data: unknown, aim = maxHeld): Row => ({
  id: 'G',
  what,
  measured,
  aim,
  data,
})
const said = ({ took, held }: Held): string => `${ms(took)}, held ${ms(held)}`

/** The median of some rounds, by how long it held. The first one, which compiles the code, does not count. */
async function measured({ other }: Grown, work: () => Promise<unknown>): Promise<Held> {
  await work()
  const all: Held[] = []
  for (let round = 0; round < rounds; round += 1) all.push(await other.during(work))
  return all.toSorted((a, b) => a.held - b.held)[Math.floor(rounds / 2)]!
}

async function operations(iris: Grown, size: string, calls: Readonly<Record<string, object>>): Promise<Row[]> {
  const rows: Row[] = []
  for (const [title, input] of Object.entries(calls)) {
    const held = await measured(iris, async () => {
      const result = await iris.caller.call(/^\w+/.exec(title)![0], input)
      if (typeof result['remedy'] === 'string') throw new Error(`${title}: ${JSON.stringify(result)}`)
    })
    rows.push(row(`${size}: ${title}`, said(held), held))
    console.error(`${size}: ${title}: ${said(held)}`)
  }
  return rows
}

async function byTurns(): Promise<Row[]> {
  const rows: Row[] = []
  for (const turns of turnCounts) {
    await using iris = await grown({ teams: ['mobile', 'backend'] }, {}, (world) => fillTurns(world, turns))
    const size = `${turns} turns`
    rows.push(row(`${size}: start to the first answer`, ms(iris.startMs), iris.startMs, 'reported'))
    const turn = await measured(iris, () => iris.caller.send('backend', 'hello', { fromTeam: 'mobile' }))
    rows.push(row(`${size}: a warm turn`, said(turn), turn))
    const since = Date.now() - hourMs
    const pair = { team: 'backend', fromTeam: 'mobile' }
    rows.push(
      ...(await operations(iris, size, {
        get_switchboard: {},
        list_sessions: {},
        list_turns: {},
        'session_turns, the first page': { sessionId: sessionId(0), offset: 0 },
        session_report: pair,
        turn_transcript: { turnId: turnId(0) },
        trace_turn: { turnId: turnId(0) },
        search_messages: { query: 'filler' },
        get_inbox: {},
        get_health: {},
        'get_usage, an hour': { since },
        'get_usage, all': { since: 0 },
        'stats_over_time, an hour': { since },
        'stats_over_time, all': { since: 0 },
        'session_stats, an hour': { since },
        'session_stats, all': { since: 0 },
        'find_patterns, all': { since: 0 },
      })),
    )
  }
  return rows
}

async function byTeams(): Promise<Row[]> {
  const rows: Row[] = []
  for (const count of teamCounts) {
    const teams = Array.from({ length: count }, (_, number) => `team-${number}`)
    await using iris = await grown({ teams })
    const size = `${count} teams`
    rows.push(row(`${size}: start to the first answer`, ms(iris.startMs), iris.startMs, 'reported'))
    const calls = { team_status: {}, list_teams: {}, get_health: {}, get_switchboard: {}, get_config: {} }
    rows.push(...(await operations(iris, size, calls)))
    const viewers = await iris.other.during(() =>
      Promise.all(Array.from({ length: 20 }, () => iris.caller.call('team_status', {}))),
    )
    rows.push(row(`${size}: team_status, twenty at once`, said(viewers), viewers))
    const { env, home } = iris.world
    const doctor = await iris.other.during(() =>
      promisify(execFile)(process.execPath, [mainFile, 'doctor', '--json'], {
        env: { ...env, IRIS_HOME: home },
        timeout: patienceMs,
      }).catch(
        // It ends with 1 where it finds something.
        () => undefined,
      ),
    )
    rows.push(row(`${size}: iris doctor`, said(doctor), doctor))
  }
  return rows
}

const threadsEach = 8
const answerMs = 300

/** Askers that each ask in several threads at once; then one more asks once. Four processes answer. */
async function byAskers(): Promise<Row[]> {
  const rows: Row[] = []
  for (const askers of askerCounts) {
    const names = Array.from({ length: askers }, (_, number) => `asker-${number}`)
    const rules = [{ steps: [{ delayMs: answerMs }, { text: 'done' }] }]
    const settings = { maxProcesses: 4, queueTimeout: patienceMs }
    await using iris = await grown({ teams: [...names, 'single', 'backend'], settings }, { script: { rules } })
    const ask = (fromTeam: string, thread: string) => iris.caller.send('backend', 'hello', { fromTeam, thread })
    const all = names.flatMap((name) => Array.from({ length: threadsEach }, (_, thread) => ask(name, `t${thread}`)))
    const single = await iris.other.during(() => ask('single', 'main'))
    await Promise.all(all)
    const what = `${askers} askers with ${threadsEach} threads each, 4 places, answers of ${answerMs} ms: another one's single ask`
    rows.push(row(what, said(single), single))
  }
  return rows
}

async function bySizes(): Promise<Row[]> {
  const rows: Row[] = []
  for (const size of answerSizes) {
    const text = 'some words of it. '.repeat(Math.ceil((size * 2 ** 20) / 18))
    const rules = [{ when: 'at length', steps: [{ text }] }, { steps: [{ text: 'short' }] }]
    await using iris = await grown({ teams: ['mobile', 'backend'] }, { script: { rules } })
    const ask = (message: string) => iris.caller.send('backend', message, { fromTeam: 'mobile' })
    await ask('hello')
    const before = residentMiB(iris.daemon.pid)
    const held = await measured(iris, () => ask('Say it at length'))
    await ask('hello')
    const after = residentMiB(iris.daemon.pid)
    const memory = `memory ${before.toFixed(0)} → ${after.toFixed(0)} MiB`
    rows.push(row(`an answer of ${size} MiB`, `${said(held)}, ${memory}`, { ...held, before, after }))
  }
  return rows
}
