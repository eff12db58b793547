import { TestIris } from '../test/support/iris.ts'
import type { World } from '../test/support/world.ts'
import { processorMs } from './daemon-figures.ts'
import { DirectClaude } from './direct.ts'
import { startFloor } from './floor.ts'
import { ask } from './in-process.ts'
import { alternate, ms, ratio } from './measure.ts'
import type { Row } from './row.ts'
import { answers, sendThrough, setting, startBridge } from './setting.ts'

const rounds = 150
const warmUp = 5

/**
 * P1: a warm turn through Iris and over the bare pipe of the same real CLI: as a user goes, through `iris mcp`; over HTTP;
 * in-process. The CLI itself takes longer with tools to carry, so it is measured with the same hook and tools as Iris gives
 * it, and once without any.
 */
export async function warmTurn(): Promise<readonly Row[]> {
  await using iris = await setting()
  const bridge = await startBridge(iris.world)
  // Its processor time counts once its code is compiled.
  for (let warm = 0; warm < 20; warm++) await sendThrough(bridge, 'backend')
  const before = processorMs(iris.daemon.pid)
  const asUsers = await against(iris.world, iris.claude, () => sendThrough(bridge, 'backend'), true)
  const processor = (processorMs(iris.daemon.pid) - before) / (rounds + warmUp)
  const floor = await startFloor(iris.world, {
    executable: iris.claude,
    cwd: iris.world.directory('web'),
    env: iris.world.env,
  })
  const leastThroughBridge = await against(iris.world, iris.claude, floor.turnThroughBridge, true)
  const besideFloor = await alternate(rounds, () => sendThrough(bridge, 'backend'), floor.turnThroughBridge)
  await bridge.close()
  const send = (): Promise<unknown> => iris.caller.send('backend', 'hello')
  const same = await against(iris.world, iris.claude, send, true)
  const bare = await against(iris.world, iris.claude, send, false)
  const least = await against(iris.world, iris.claude, floor.turn, true)
  await floor.end()
  await using inside = await TestIris.start({ script: answers })
  const inProcess = await against(inside.world, iris.claude, () => ask(inside, 'hello'), true)
  return [
    { id: 'P1', what: 'warm turn: through iris mcp ÷ the same CLI over its pipe', ...said(asUsers) },
    {
      id: 'P1',
      what: 'warm turn: through a bridge that only copies, two commits ÷ the same CLI over its pipe',
      ...said(leastThroughBridge),
      aim: 'the floor',
    },
    {
      id: 'P1',
      what: 'warm turn: through iris mcp ÷ that floor, in turn',
      ...said(besideFloor),
      aim: 'reported',
    },
    {
      ...{ id: 'P1', what: 'processor of the daemon for a turn of the real CLI', aim: '≤ 1.5 ms' },
      ...{ measured: ms(processor), data: { processor } },
    },
    { id: 'P1', what: 'warm turn: Iris over MCP/HTTP ÷ the same CLI over its pipe', ...said(same) },
    {
      id: 'P1',
      what: 'warm turn: bare HTTP and two commits ÷ the same CLI over its pipe',
      ...said(least),
      aim: 'the floor',
    },
    { id: 'P1', what: 'warm turn: Iris in-process ÷ the same CLI over its pipe', ...said(inProcess) },
    { id: 'P1', what: "warm turn: Iris over MCP/HTTP ÷ the CLI without Iris's tools", ...said(bare), aim: 'reported' },
  ]
}

type Sides = Awaited<ReturnType<typeof alternate>>

async function against(world: World, claude: string, turn: () => Promise<unknown>, asIris: boolean): Promise<Sides> {
  const direct = new DirectClaude(claude, world.directory('mobile'), world.env, asIris)
  await direct.initialize()
  for (let warm = 0; warm < warmUp; warm++) {
    await direct.turn('warm up')
    await turn()
  }
  const sides = await alternate(rounds, turn, () => direct.turn('hello'))
  await direct.end()
  return sides
}

function said({ a, b }: Sides): Omit<Row, 'id' | 'what'> {
  const measured = `${ratio(a.p50 / b.p50)}  (${ms(a.p50)} ÷ ${ms(b.p50)}, +${ms(a.p50 - b.p50)}, n=${a.n})`
  return { measured, aim: '≤ 1.10×', data: { iris: a, direct: b } }
}
