import { join } from 'node:path'
import { LineConnection } from '../src/adapters/client/line-connection.ts'
import { toolCall, toolResult } from '../src/adapters/client/tool-call.ts'
import { processorMs } from './daemon-figures.ts'
import { ms, type Sample, summarize, timed } from './measure.ts'
import type { Row } from './row.ts'
import { type Setting, setting } from './setting.ts'

const counts = [1, 10, 40, 100, 200]
const turnsAtOnce = 3000

interface Run {
  readonly perSecond: number
  readonly processorMs: number
  readonly times: Sample
}

/** P4: one daemon with that many sessions of the bare fake CLI, each asked again as soon as it has answered. */
export async function manySessions(): Promise<readonly Row[]> {
  await using iris = await setting({ fake: true, maxProcesses: 200 })
  const path = join(iris.world.home, 'daemon.sock')
  const lines = await LineConnection.open({ path, token: iris.daemon.token })
  let id = 0
  const send = async (thread: string): Promise<void> => {
    const input = { toTeam: 'backend', message: 'hello', timeout: 0, thread }
    const answer = await lines!.request(toolCall(++id, 'send_message', input), new AbortController().signal)
    const { status } = toolResult('send_message', answer)
    if (status !== 'completed') throw new Error(`a turn of the bench ended as ${status}`)
  }
  // The first turns compile the code.
  for (let warm = 0; warm < 300; warm++) await send('t0')
  const rows: Row[] = []
  let alone: Run | undefined
  for (const sessions of counts) {
    const run = await together(iris, sessions, send)
    alone ??= run
    rows.push(said(sessions, run, alone))
  }
  lines!.close()
  return rows
}

async function together({ daemon }: Setting, sessions: number, send: (thread: string) => Promise<void>): Promise<Run> {
  const threads = Array.from({ length: sessions }, (_, index) => `t${index}`)
  const each = Math.max(10, Math.round(turnsAtOnce / sessions))
  const times: number[] = []
  for (const thread of threads) await send(thread)
  const before = processorMs(daemon.pid)
  const took = await timed(() =>
    Promise.all(
      threads.map(async (thread) => {
        for (let turn = 0; turn < each; turn++) times.push(await timed(() => send(thread)))
      }),
    ),
  )
  const turns = sessions * each
  return {
    perSecond: (turns * 1000) / took,
    processorMs: (processorMs(daemon.pid) - before) / turns,
    times: summarize(times),
  }
}

function said(sessions: number, run: Run, alone: Run): Row {
  const { perSecond, times } = run
  const ratio = (times.p99 / alone.times.p99).toFixed(1)
  return {
    id: 'P4',
    what: `turns a second, ${sessions} sessions of the bare fake CLI, by the home socket`,
    measured: `${perSecond.toFixed(0)}/s, daemon ${ms(run.processorMs)} a turn, p50 ${ms(times.p50)}, p99 ${ms(times.p99)} (${ratio} × one)`,
    aim: sessions === 200 ? '≥ 1000/s' : sessions === 100 ? 'p99 ≤ 2 × one' : 'reported',
    data: run,
  }
}
