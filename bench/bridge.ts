import { ms, type Sample, summarize, timed } from './measure.ts'
import type { Row } from './row.ts'
import { setting, startBridge } from './setting.ts'

const warmUp = 300
const rounds = 1000

/** P10c: a tool that does nothing as Claude Code calls it, through `iris mcp`: by the socket, over HTTP, and HTTP without a bridge. */
export async function bridge(): Promise<readonly Row[]> {
  await using iris = await setting({ fake: true })
  const bySocket = await startBridge(iris.world)
  // A process of some other Iris's agent does not use the socket.
  const overHttp = await startBridge(iris.world, { IRIS_PROCESS: 'elsewhere.0' })
  const sides = [bySocket, overHttp, iris.caller]
  const times = sides.map(() => [] as number[])
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const [index, side] of sides.entries()) {
      const took = await timed(() => side.call('get_date', {}))
      if (round >= warmUp) times[index]!.push(took)
    }
  }
  await Promise.all([bySocket.close(), overHttp.close()])
  const [a, b, c] = times.map(summarize) as [Sample, Sample, Sample]
  return [
    {
      id: 'P10c',
      what: 'a tool that does nothing, through iris mcp, by the socket in the home',
      measured: `${ms(a.p50)}  (p95 ${ms(a.p95)}, n=${a.n}; the bridge over HTTP ${ms(b.p50)}, HTTP alone ${ms(c.p50)})`,
      aim: '≤ 1.0 ms',
      data: { bySocket: a, overHttp: b, http: c },
    },
  ]
}
