import { residentMiB } from './daemon-figures.ts'
import { startMemoryFloor } from './floor.ts'
import { HttpCaller } from './http-caller.ts'
import { alternate, ms, summarize, timed } from './measure.ts'
import type { Row } from './row.ts'
import { setting } from './setting.ts'

const calls = 1000
const turns = 1000
const atOnce = 2000
const freshCalls = 300
const connections = 50
const callsEach = 40

/** P10b: a tool that does nothing, one caller; and what the daemon weighs before and after a thousand turns. */
export async function endpoint(): Promise<readonly Row[]> {
  await using iris = await setting({ fake: true })
  const idle = residentMiB(iris.daemon.pid)
  for (let warm = 0; warm < 200; warm++) await iris.caller.call('get_date', {})
  const times: number[] = []
  for (let call = 0; call < calls; call++) times.push(await timed(() => iris.caller.call('get_date', {})))
  const fresh = new HttpCaller(iris.daemon, { keepAlive: false })
  const { a, b } = await alternate(
    freshCalls,
    () => fresh.call('get_date', {}),
    () => iris.caller.call('get_date', {}),
  )
  fresh.close()
  for (let turn = 0; turn < turns; turn++) await iris.caller.send('backend', 'hello')
  const after = residentMiB(iris.daemon.pid)
  for (let turn = 0; turn < 2 * turns; turn++) await iris.caller.send('backend', 'hello')
  const later = residentMiB(iris.daemon.pid)
  const many = new HttpCaller(iris.daemon, { maxSockets: atOnce })
  await Promise.all(Array.from({ length: atOnce }, () => many.call('get_date', {})))
  many.close()
  const crowded = residentMiB(iris.daemon.pid)
  const floors = [await memoryFloor(iris, false), await memoryFloor(iris, true)]
  const sample = summarize(times)
  return [
    {
      id: 'P10b',
      what: 'a tool that does nothing, over HTTP, one caller',
      measured: `${ms(sample.p50)}  (p95 ${ms(sample.p95)}, n=${sample.n})`,
      aim: '≤ 0.6 ms (upstream 1.16)',
      data: sample,
    },
    {
      id: 'P10b',
      what: 'the same over a new connection, whose other end is looked up',
      measured: `+${ms(a.p50 - b.p50)}  (${ms(a.p50)} against ${ms(b.p50)}, n=${a.n})`,
      aim: '≤ 6 ms',
      data: { fresh: a, kept: b },
    },
    {
      id: 'P10b',
      what: `resident memory of the daemon: idle, after ${turns} turns, after ${3 * turns}, and after ${atOnce} calls at once`,
      measured: `${[idle, after, later, crowded].map((size) => size.toFixed(0)).join(', ')} MiB`,
      aim: '≤ 95, ≤ 120, no slope, ≤ +50 MiB (upstream 137, 152)',
      data: { idle, after, later, crowded },
    },
    {
      id: 'P10b',
      what: `the same of a switchboard without Iris's code: bare, and with its libraries; idle, after ${turns} turns, after ${3 * turns}`,
      measured: `${floors.map((sizes) => sizes.map((size) => size.toFixed(0)).join(', ')).join('; ')} MiB`,
      aim: 'the floor',
      data: { floors },
    },
  ]
}

async function memoryFloor(
  { world, fake }: Awaited<ReturnType<typeof setting>>,
  withLibraries: boolean,
): Promise<readonly number[]> {
  const floor = await startMemoryFloor(world, fake!, withLibraries)
  const sizes = [residentMiB(floor.pid)]
  for (const count of [turns, 2 * turns]) {
    for (let turn = 0; turn < count; turn++) await floor.turn()
    sizes.push(residentMiB(floor.pid))
  }
  await floor.end()
  return sizes
}

/** P10: a tool that does nothing, fifty connections at once. */
export async function endpointAtOnce(): Promise<readonly Row[]> {
  await using iris = await setting({ fake: true })
  for (let warm = 0; warm < 500; warm++) await iris.caller.call('get_date', {})
  const perSecond: number[] = []
  for (let round = 0; round < 5; round++) {
    const each = async (): Promise<void> => {
      for (let call = 0; call < callsEach; call++) await iris.caller.call('get_date', {})
    }
    const took = await timed(() => Promise.all(Array.from({ length: connections }, each)))
    perSecond.push((connections * callsEach * 1000) / took)
  }
  const { p50, min, n } = summarize(perSecond)
  return [
    {
      id: 'P10',
      what: `a tool that does nothing, ${connections} connections at once`,
      measured: `${p50.toFixed(0)} calls/s  (least ${min.toFixed(0)}, n=${n})`,
      aim: '> 559/s (upstream)',
      data: { perSecond },
    },
  ]
}
