import { linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../src/platform/store/database.ts'
import { DaemonProcess } from '../test/support/daemon-process.ts'
import { type FakeClaudeSetup, fakeClaude } from '../test/support/fake-claude.ts'
import { createWorld, type World } from '../test/support/world.ts'
import { HttpCaller } from './http-caller.ts'
import { ms, ratio, summarize, timed } from './measure.ts'
import type { Row } from './row.ts'

const sessions = 100_000
const rounds = 10
const projects = 100
const lookedThrough = 'looked through the conversations on disk'

/** P7: from exec to the first accepted message, with a store of 100 000 sessions and their transcripts, and with none. */
export async function start(): Promise<readonly Row[]> {
  using fake = fakeClaude({ bare: true })
  await using full = await worldWith(fake)
  await using empty = await worldWith(fake)
  fill(full)
  for (const world of [full, empty]) await firstCall(world)
  const starts = { full: [] as Start[], empty: [] as Start[] }
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? (['full', 'empty'] as const) : (['empty', 'full'] as const)) {
      starts[side].push(await firstCall(side === 'full' ? full : empty))
    }
  }
  const of = (side: readonly Start[], what: keyof Start) => summarize(side.map((one) => one[what]))
  const [a, b] = [of(starts.full, 'took'), of(starts.empty, 'took')]
  const [aWork, bWork] = [of(starts.full, 'worked'), of(starts.empty, 'worked')]
  const background = await whileLooking(full)
  return [
    {
      id: 'P7',
      what: 'exec to the first accepted message: 100 000 sessions ÷ none',
      measured: `${ratio(a.p50 / b.p50)}  (${ms(a.p50)} ÷ ${ms(b.p50)}, n=${a.n})`,
      aim: '≤ 1.3×, ≤ 1 s',
      data: { full: a, empty: b },
    },
    {
      id: 'P7',
      what: 'processor time of the same',
      measured: `${ratio(aWork.p50 / bWork.p50)}  (${ms(aWork.p50)} ÷ ${ms(bWork.p50)})`,
      aim: '≤ 1.3×',
      data: { full: aWork, empty: bWork },
    },
    {
      id: 'P7',
      what: 'looking through 100 000 transcripts in the background',
      measured: `${ms(background.took)}; calls meanwhile: ${ms(background.calls.p50)}, p95 ${ms(background.calls.p95)}`,
      aim: 'reported',
      data: background,
    },
  ]
}

function worldWith(fake: FakeClaudeSetup): Promise<World> {
  const team = { claudePath: fake.claudePath, env: fake.env }
  return createWorld({ teams: { frontend: team, backend: team }, settings: { logLevel: 'info' } })
}

/** Milliseconds, by the clock and of the processor. */
interface Start {
  readonly took: number
  readonly worked: number
}

async function firstCall(world: World): Promise<Start> {
  const began = performance.now()
  await using daemon = await DaemonProcess.start(world)
  const caller = new HttpCaller(daemon)
  const { status } = await caller.call('send_message', { toTeam: 'backend', message: 'hello', timeout: -1 })
  const [took, worked] = [performance.now() - began, processorMs(daemon.pid)]
  caller.close()
  if (status !== 'async') throw new Error(`not accepted: ${String(status)}`)
  return { took, worked }
}

/** In user and kernel mode, all threads, by the system's count of hundredths. */
function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const [user, kernel] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(kernel)) * 10
}

async function whileLooking(world: World) {
  await using daemon = await DaemonProcess.start(world)
  const began = performance.now()
  const caller = new HttpCaller(daemon)
  const calls: number[] = []
  while (!daemon.log.includes(lookedThrough)) {
    calls.push(await timed(() => caller.call('list_teams', {})))
    if (performance.now() - began > 120_000) throw new Error('not done in two minutes')
  }
  const took = performance.now() - began
  caller.close()
  return { took, calls: summarize(calls), line: daemon.log.split('\n').find((line) => line.includes(lookedThrough)) }
}

/** Sessions as long use leaves them: each with a settled turn, a transcript, and its second name. */
function fill(world: World): void {
  const database = openDatabase(join(world.home, 'data/team-sessions.db'))
  const insertSession = database.prepare(
    `INSERT INTO team_sessions (from_team, to_team, thread, session_id, created_at, last_used_at, message_count,
       launch_command, team_config_snapshot, last_answered_delivery)
     VALUES ('frontend', 'backend', ?, ?, ?, ?, 1, ?, ?, ?) RETURNING id`,
  )
  const insertTurn = database.prepare(
    `INSERT INTO turns (id, session, message, hop, awaited, state, outcome, answer, accepted_at, settled_at)
     VALUES (?, ?, 'hello', 1, 1, 'settled', 'completed', 'an answer', ?, ?)`,
  )
  const transcripts = join(world.claudeDirectory, 'projects')
  const kept = join(world.home, 'data/transcripts')
  for (let project = 0; project < projects; project++) {
    for (const root of [transcripts, kept]) mkdirSync(join(root, `project-${project}`), { recursive: true })
  }
  const [launchCommand, snapshot] = ['claude '.padEnd(1600, 'x'), '{}'.padEnd(300)]
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN')
  for (let index = 0; index < sessions; index++) {
    const [sessionId, turnId] = [crypto.randomUUID(), crypto.randomUUID()]
    const at = Date.now() - index * 1000
    const row = insertSession.get(`t${index}`, sessionId, at, at, launchCommand, snapshot, turnId)
    insertTurn.run(turnId, row?.['id'] as number, at, at)
    const name = join(`project-${index % projects}`, `${sessionId}.jsonl`)
    writeFileSync(join(transcripts, name), '{}\n')
    linkSync(join(transcripts, name), join(kept, name))
  }
  database.exec('COMMIT')
  database.close()
}
