import { StdioClient } from '../src/client/stdio-client.ts'
import { mainFile } from '../test/support/program.ts'
import { alternate, ms } from './measure.ts'
import type { Row } from './row.ts'
import { setting } from './setting.ts'

const rounds = 1000

/** P10c: a tool that does nothing as Claude Code calls it, through `iris mcp`, beside the same over HTTP. */
export async function bridge(): Promise<readonly Row[]> {
  await using iris = await setting({ fake: true })
  const env = { ...iris.world.env, IRIS_HOME: iris.world.home }
  const client = await StdioClient.start({ command: process.execPath, args: [mainFile, 'mcp'], cwd: '/', env })
  for (let warm = 0; warm < 300; warm++) {
    await client.call('get_date', {})
    await iris.caller.call('get_date', {})
  }
  const { a, b } = await alternate(
    rounds,
    () => client.call('get_date', {}),
    () => iris.caller.call('get_date', {}),
  )
  await client.close()
  return [
    {
      id: 'P10c',
      what: 'a tool that does nothing, through iris mcp',
      measured: `${ms(a.p50)}  (p95 ${ms(a.p95)}; HTTP ${ms(b.p50)}, n=${a.n})`,
      aim: '≤ 1.0 ms',
      data: { bridge: a, http: b },
    },
  ]
}
