import { join } from 'node:path'
import { LineConnection } from '../src/adapters/client/line-connection.ts'
import { toolCall, toolResult } from '../src/adapters/client/tool-call.ts'
import type { FakeClaudeSetup } from '../test/support/fake-claude.ts'
import { processorMs } from './daemon-figures.ts'
import { DirectClaude } from './direct.ts'
import { ms, ratio, type Sample, summarize, timed } from './measure.ts'
import type { Row } from './row.ts'
import { type Setting, setting } from './setting.ts'

const counts = [1, 10, 40, 100, 200]
const turnsAtOnce = 3000

interface Run {
  readonly perSecond: number
  readonly times: Sample
}

type Turn = (session: number) => Promise<unknown>

/**
 * P4: one daemon with that many sessions of the bare fake CLI, each asked again as soon as it has answered. The floor: the same
 * processes with only their pipes between this process and them.
 */
export async function manySessions(): Promise<readonly Row[]> {
  await using iris = await setting({ fake: true, maxProcesses: 200 })
  const path = join(iris.world.home, 'daemon.sock')
  const lines = await LineConnection.open({ path, token: iris.daemon.token })
  let id = 0
  const send: Turn = async (session) => {
    const input = { toTeam: 'backend', message: 'hello', timeout: 0, thread: `t${session}` }
    const answer = await lines!.request(toolCall(++id, 'send_message', input), new AbortController().signal)
    const { status } = toolResult('send_message', answer)
    if (status !== 'completed') throw new Error(`a turn of the bench ended as ${status}`)
  }
  // The first turns compile the code.
  for (let warm = 0; warm < 300; warm++) await send(0)
  const rows: Row[] = []
  let alone: Run | undefined
  for (const sessions of counts) {
    const floor = await bare(iris, sessions)
    const before = processorMs(iris.daemon.pid)
    const run = await together(sessions, send)
    const perTurn = (processorMs(iris.daemon.pid) - before) / run.times.n
    alone ??= run
    rows.push(said(sessions, run, perTurn, alone, floor))
  }
  lines!.close()
  return rows
}

async function bare(
  { claude, world, fake }: Setting & { fake: FakeClaudeSetup | undefined },
  sessions: number,
): Promise<Run> {
  const env = { ...world.env, ...fake!.env }
  const all = Array.from({ length: sessions }, () => new DirectClaude(claude, world.directory('backend'), env))
  await Promise.all(all.map((each) => each.initialize()))
  const run = await together(sessions, (session) => all[session]!.turn('hello'))
  await Promise.all(all.map((each) => each.end()))
  return run
}

async function together(sessions: number, turn: Turn): Promise<Run> {
  const threads = Array.from({ length: sessions }, (_, session) => session)
  const each = Math.max(10, Math.round(turnsAtOnce / sessions))
  const times: number[] = []
  for (const session of threads) await turn(session)
  const took = await timed(() =>
    Promise.all(
      threads.map(async (session) => {
        for (let count = 0; count < each; count++) times.push(await timed(() => turn(session)))
      }),
    ),
  )
  return { perSecond: (times.length * 1000) / took, times: summarize(times) }
}

function said(sessions: number, run: Run, perTurn: number, alone: Run, floor: Run): Row {
  const { perSecond, times } = run
  const share = ratio(run.perSecond / floor.perSecond)
  return {
    id: 'P4',
    what: `turns a second, ${sessions} sessions of the bare fake CLI, by the home socket; ÷ the same processes without Iris`,
    measured: `${perSecond.toFixed(0)}/s, ${share} (÷ ${floor.perSecond.toFixed(0)}/s), daemon ${ms(perTurn)} a turn, p50 ${ms(times.p50)}, p99 ${ms(times.p99)} (${(times.p99 / alone.times.p99).toFixed(1)} × one; floor ${ms(floor.times.p99)})`,
    aim: sessions === 200 ? '≥ 1000/s' : sessions === 100 ? 'p99 ≤ 2 × one' : 'reported',
    data: { run, perTurn, floor },
  }
}
