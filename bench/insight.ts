import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { systemClock } from '../src/base/lib/clock.ts'
import { createLog } from '../src/base/lib/log.ts'
import { Insight } from '../src/features/insight/insight.ts'
import { spansOf } from '../src/features/traces/otlp/spans.ts'
import { TraceExport } from '../src/features/traces/otlp/trace-export.ts'
import { SpanRows } from '../src/features/traces/rows/span-rows.ts'
import { TurnTraces } from '../src/features/traces/rows/turn-traces.ts'
import { LocalMachine } from '../src/platform/machine/local-machine.ts'
import { LocalSystem } from '../src/platform/machine/local-system.ts'
import { openDatabase } from '../src/platform/store/database.ts'
import { makeWeeks } from '../test/insight/weeks.ts'
import { fakeClaude } from '../test/support/fake-claude.ts'
import { git } from '../test/support/git.ts'
import { TestIris } from '../test/support/iris.ts'
import { isolated } from '../test/support/project-files.ts'
import { scratchDirectory } from '../test/support/scratch.ts'
import { ask } from './in-process.ts'
import { alternate, ms, ratio, summarize, timed } from './measure.ts'
import type { Row } from './row.ts'

const yearDays = 365
const dayMs = 86_400_000

/** I: what traces and analyses cost a turn, and what a year of messages costs the analyses. */
export async function insight(): Promise<readonly Row[]> {
  using directory = scratchDirectory()
  const store = join(directory.path, 'store.db')
  const { turns, tools } = fillYear(store)
  return [
    ...(await tracesOf(store)),
    ...(await tracedTurns()),
    ...(await analysedTurns(store)),
    ...(await yearOf(store, turns, tools)),
  ]
}

/** Seventeen generated periods of three weeks, one after the other. */
function fillYear(path: string): { turns: number; tools: number } {
  using database = openDatabase(path)
  const insert = {
    session: database.prepare(
      `INSERT INTO team_sessions (from_team, to_team, session_id, created_at, last_used_at) VALUES (?, ?, ?, 0, 0)`,
    ),
    turn: database.prepare(
      `INSERT INTO turns (id, session, message, hop, awaited, state, outcome, reason, answer, accepted_at, dispatched_at,
         started_at, settled_at) VALUES (?, ?, ?, 1, 0, 'settled', ?, ?, 'See src/api.ts.', ?, ?, ?, ?)`,
    ),
    tool: database.prepare(
      `INSERT INTO tool_starts (turn, tool_use_id, delivery, name, input_hash, input_short, started_at, ended_at)
       VALUES (?, ?, 'd', ?, 'hash', ?, ?, ?)`,
    ),
  }
  const sessions = new Map<string, number | bigint>()
  const now = Date.now()
  let [turns, toolCount] = [0, 0]
  database.exec('BEGIN')
  for (let period = 0; (period + 1) * 21 <= yearDays; period++) {
    const weeks = makeWeeks(1000 + period)
    const last = Math.max(...weeks.asks.map(({ acceptedAt }) => acceptedAt))
    const shift = now - period * 21 * dayMs - last
    const known = new Map<string, number>()
    for (const { id, from, to, message, outcome, reason, acceptedAt } of weeks.asks) {
      const pair = `${from} ${to}`
      const session = sessions.get(pair) ?? insert.session.run(from, to, `s-${sessions.size}`).lastInsertRowid
      sessions.set(pair, session)
      const at = acceptedAt + shift
      insert.turn.run(`${period}-${id}`, session, message, outcome ?? 'completed', reason, at, at, at + 5, at + 9000)
      known.set(id, at)
      turns += 1
    }
    for (const [index, { turn, name, input, took }] of weeks.tools.entries()) {
      const at = known.get(turn)
      if (at === undefined) continue
      insert.tool.run(`${period}-${turn}`, `${index}`, name, input, at, at + took)
      toolCount += 1
    }
  }
  database.exec('COMMIT')
  return { turns, tools: toolCount }
}

/** On the main thread a turn costs its id, and a foreign trace one row. The thread reads its rows and makes the spans. */
async function tracesOf(store: string): Promise<readonly Row[]> {
  const rounds = 4000
  using database = openDatabase(store)
  const ids = database
    .prepare('SELECT id FROM turns LIMIT ?')
    .all(rounds)
    .map(({ id }) => String(id))
  const work = { store, endpoint: 'http://127.0.0.1:1/v1/traces', headers: {} }
  const stillClock = { after: () => () => {} }
  const traces = new TraceExport(work, stillClock, createLog({ least: () => 'error' }))
  const queued = await timed(async () => ids.forEach((id) => traces.add(id)))
  await traces.close()
  const rows = new TurnTraces(database)
  const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  const noted = await timed(async () => ids.forEach((id, index) => rows.add(id, parent, Date.now() + index)))
  using spans = new SpanRows(store)
  const made = await timed(async () => {
    for (const id of ids) JSON.stringify(spansOf(spans.turn(id)!, spans.tools(id, 500), spans.questions(id, 500)))
  })
  const row = (what: string, took: number, aim: string): Row => ({
    id: 'I',
    what,
    aim,
    data: { rounds, took },
    measured: `${((1000 * took) / rounds).toFixed(1)} µs a turn`,
  })
  return [
    row('traces: the main thread, a turn of its own', queued, '≤ 300 µs'),
    row('traces: the main thread, a turn with a foreign traceparent', queued + noted, '≤ 300 µs'),
    row('traces: their thread, reading a turn and making its spans', made, '—'),
  ]
}

async function yearOf(store: string, turns: number, tools: number): Promise<readonly Row[]> {
  const insight = new Insight(store, systemClock)
  const until = Date.now() + 1
  const period = { since: until - yearDays * dayMs, until, team: undefined }
  const before = process.memoryUsage.rss()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 5)
  const patterns = await timed(() => insight.patterns(period, 0))
  const reflection = await timed(() => insight.reflect(period, []))
  clearInterval(watch)
  await insight.close()
  const row = (what: string, measured: string): Row => ({ id: 'I', what, measured, aim: '—', data: { turns, tools } })
  const of = `a year: ${turns} messages, ${tools} tools`
  return [
    row(`patterns of ${of}`, `${(patterns / 1000).toFixed(2)} s in a thread`),
    row(`reflection on ${of}`, `${(reflection / 1000).toFixed(2)} s in a thread`),
    row('memory of both at most', `+${((most - before) / 2 ** 20).toFixed(0)} MiB, until the thread ends`),
  ]
}

/** I2: the same 300 files, in a project of 300 and in one of a million tracked ones. */
export async function driftOfMany(): Promise<readonly Row[]> {
  using directory = scratchDirectory()
  const took: number[] = []
  for (const files of [300, 1_000_000]) {
    const project = join(directory.path, `project-${files}`)
    const since = trackFiles(project, files)
    const machine = new LocalMachine({
      environment: {},
      system: new LocalSystem(systemClock),
      isolation: isolated(),
      clock: systemClock,
      directory: () => project,
      configuredPath: () => project,
      claudeDirectory: () => project,
      hidden: '/nowhere',
      place: async () => ({ directory: project, isolation: undefined }),
      tag: () => `bench.${crypto.randomUUID()}`,
      path: process.env['PATH'] ?? '',
    })
    const names = Array.from({ length: 300 }, (_, n) => `d${n}/f${n}.ts`)
    await machine.project.fileStates(names)
    const times: number[] = []
    for (let round = 0; round < 7; round++) {
      times.push(
        await timed(async () => {
          await machine.project.fileStates(names)
          await machine.project.lastCommit('d7/f7.ts', since)
        }),
      )
    }
    took.push(times.toSorted((a, b) => a - b)[3]!)
    await machine.end()
  }
  const [small, large] = took as [number, number]
  return [
    {
      id: 'I2',
      what: 'drift: 300 files compared, one changed: 1 000 000 tracked files ÷ 300',
      aim: '—',
      measured: `${(large / small).toFixed(2)}  (${large.toFixed(0)} and ${small.toFixed(0)} ms; ${((1000 * large) / 300).toFixed(0)} µs a file)`,
      data: { small, large },
    },
  ]
}

/**
 * Two commits with so many files, the second of which changes one. Only those that are compared are on the disk: writing a
 * million takes minutes, and Iris opens no other. Returns the first commit.
 */
function trackFiles(project: string, files: number): string {
  const nameOf = (n: number): string => `d${n % 1000}/f${n}.ts`
  for (let n = 0; n < 300; n++) {
    mkdirSync(join(project, dirname(nameOf(n))), { recursive: true })
    writeFileSync(join(project, nameOf(n)), 'one\n')
  }
  writeFileSync(join(project, nameOf(7)), 'two\n')
  git(project, 'init', '--quiet', '--initial-branch=main')
  const commit = (at: number, lines: readonly string[]): string =>
    `commit refs/heads/main\ncommitter test <test@example.com> ${at} +0000\ndata 4\ntest\n${lines.join('\n')}\n\n`
  const blob = (mark: number, text: string): string => `blob\nmark :${mark}\ndata ${text.length}\n${text}\n`
  const all = Array.from({ length: files }, (_, n) => `M 100644 :1 ${nameOf(n)}`)
  const input = [blob(1, 'one\n'), blob(2, 'two\n'), commit(1, all), commit(2, [`M 100644 :2 ${nameOf(7)}`])].join('')
  execFileSync('git', ['fast-import', '--quiet'], { cwd: project, input, env: { PATH: process.env['PATH'] } })
  return git(project, 'rev-parse', 'main~1').trim()
}

const turnRounds = 300
const analysisRounds = 3

/** The same turn of two daemons in turn, one of which sends traces to a receiver that takes them. */
async function tracedTurns(): Promise<readonly Row[]> {
  const receiver = createServer((request, response) => request.resume().on('end', () => response.end('{}')))
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  using fake = fakeClaude({ bare: true, script: { rules: [{ when: 'hello', steps: [{ text: 'done' }] }] } })
  const team = { claudePath: fake.claudePath, env: fake.env }
  const teams = { frontend: team, backend: team }
  await using off = await TestIris.start({ teams })
  await using on = await TestIris.start({ teams })
  const tracesTo = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/v1/traces`
  const reloaded = on.event('config-reloaded')
  on.world.writeConfig({ teams, insight: { tracesTo } })
  await reloaded
  for (let n = 0; n < 30; n++) for (const iris of [off, on]) await ask(iris, 'hello')
  const { a, b } = await alternate(
    turnRounds,
    () => ask(off, 'hello'),
    () => ask(on, 'hello'),
  )
  receiver.closeAllConnections()
  receiver.close()
  return [
    {
      id: 'I',
      what: 'traces: a warm turn, with traces ÷ without',
      aim: '≤ 0.3 ms more',
      measured: `${ratio(b.p50 / a.p50)}  (${(b.p50 - a.p50).toFixed(2)} ms of ${ms(a.p50)} more, n=${a.n})`,
      data: { off: a, on: b },
    },
  ]
}

/** The same turn of one daemon, by turns without an analysis and while one of a year runs in its thread. */
async function analysedTurns(store: string): Promise<readonly Row[]> {
  using fake = fakeClaude({ bare: true, script: { rules: [{ when: 'hello', steps: [{ text: 'done' }] }] } })
  const team = { claudePath: fake.claudePath, env: fake.env }
  await using iris = await TestIris.start({ teams: { frontend: team, backend: team } })
  const insight = new Insight(store, systemClock)
  const until = Date.now() + 1
  const period = { since: until - yearDays * dayMs, until, team: undefined }
  for (let n = 0; n < 30; n++) await ask(iris, 'hello')
  const quiet: number[] = []
  const busy: number[] = []
  const turn = (times: number[]) => timed(() => ask(iris, 'hello')).then((took) => times.push(took))
  for (let round = 0; round < analysisRounds; round++) {
    let isRunning = true
    const analysis = insight.patterns(period, 0).finally(() => {
      isRunning = false
    })
    const from = busy.length
    while (isRunning) await turn(busy)
    await analysis
    // The last one outlived the analysis.
    busy.pop()
    const so = busy.length - from
    for (let n = 0; n < so; n++) await turn(quiet)
  }
  await insight.close()
  const [a, b] = [summarize(quiet), summarize(busy)]
  return [
    {
      id: 'I',
      what: 'analyses: a warm turn, while one of a year runs ÷ without',
      aim: '1×',
      measured: `${ratio(b.p50 / a.p50)}  (${(b.p50 - a.p50).toFixed(2)} ms of ${ms(a.p50)} more, p95 ${ratio(b.p95 / a.p95)}, n=${a.n})`,
      data: { quiet: a, busy: b },
    },
  ]
}
