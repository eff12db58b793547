import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import type { Endpoint } from '../test/support/call-tool.ts'
import { DaemonProcess } from '../test/support/daemon-process.ts'
import { fakeClaude } from '../test/support/fake-claude.ts'
import { createWorld } from '../test/support/world.ts'
import { HttpCaller } from './http-caller.ts'
import { ratio, summarize, timed } from './measure.ts'
import type { Row } from './row.ts'

const viewers = 100
const sessions = 20
const rounds = 4
const turnsEach = 5
/** So many pieces of text a turn, one each tenth of a second: what a model does. */
const pieces = 10
const ticksPerSecond = 100

/** P9: twenty sessions say something all the time, and a hundred people look on: what that costs, and whom it holds up. */
export async function dashboardViewers(): Promise<readonly Row[]> {
  const steps = Array.from({ length: pieces }, () => [{ partial: 'some words of it ' }, { delayMs: 100 }]).flat()
  using fake = fakeClaude({ script: { rules: [{ steps: [...steps, { text: 'all of it' }] }] } })
  const settings = { claudePath: fake.claudePath, env: { ...fake.env }, maxProcesses: sessions }
  await using world = await createWorld({ teams: ['backend'], settings })
  await using daemon = await DaemonProcess.start(world)
  await work(daemon, 1)
  const alone = { times: [] as number[], cpu: 0, seconds: 0 }
  const watched = { times: [] as number[], cpu: 0, seconds: 0 }
  for (let round = 0; round < rounds; round++) {
    const side = round % 2 === 0 ? alone : watched
    const leave = side === watched ? await watch(daemon) : () => {}
    const [cpu, began] = [cpuSeconds(daemon.pid), performance.now()]
    side.times.push(...(await work(daemon, turnsEach)))
    side.cpu += cpuSeconds(daemon.pid) - cpu
    side.seconds += (performance.now() - began) / 1000
    leave()
  }
  const [a, b] = [summarize(alone.times), summarize(watched.times)]
  const share = watched.cpu / watched.seconds - alone.cpu / alone.seconds
  return [
    {
      id: 'P9',
      what: `${viewers} viewers of ${sessions} busy sessions: processor of the stream`,
      measured: `${(share * 100).toFixed(1)} % of a core (without: ${((alone.cpu / alone.seconds) * 100).toFixed(1)} %)`,
      aim: '≤ 10 % of a core',
      data: { share, alone: alone.cpu / alone.seconds, watched: watched.cpu / watched.seconds },
    },
    {
      id: 'P9',
      what: 'the same: p99 of a turn with viewers ÷ without',
      measured: `${ratio(b.p99 / a.p99)}  (${b.p99.toFixed(0)} ÷ ${a.p99.toFixed(0)} ms, n=${a.n})`,
      aim: '≤ 1.05×',
      data: { alone: a, watched: b },
    },
  ]
}

/** Every session asks one thing after the other; how long each took. */
async function work(endpoint: Endpoint, turns: number): Promise<number[]> {
  // The daemon hangs up on connections that rest; the rounds are far apart.
  const caller = new HttpCaller(endpoint)
  const times: number[] = []
  const one = async (thread: string): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) {
      times.push(await timed(() => caller.send('backend', 'hello', { thread })))
    }
  }
  await Promise.all(Array.from({ length: sessions }, (_, index) => one(`t${index}`)))
  caller.close()
  return times
}

/** A hundred streams, each read as it comes; returns what ends them. */
async function watch({ port, token }: Endpoint): Promise<() => void> {
  const headers = { authorization: `Bearer ${token}` }
  const open = () =>
    new Promise<() => void>((resolve, reject) => {
      const stream = get({ host: '127.0.0.1', port, path: '/api/stream', headers, agent: false }, (response) => {
        response.on('error', () => {})
        response.once('data', () => resolve(() => stream.destroy()))
        response.resume()
      })
      stream.on('error', reject)
    })
  const ends = await Promise.all(Array.from({ length: viewers }, open))
  return () => {
    for (const end of ends) end()
  }
}

/** Of the process, in its own and in the kernel's code. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}
