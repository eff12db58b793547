import { TestIris } from '../test/support/iris.ts'
import type { World } from '../test/support/world.ts'
import { processorMs } from './daemon-figures.ts'
import { DirectClaude } from './direct.ts'
import { besideNewFloor } from './floor.ts'
import { ask } from './in-process.ts'
import { alternate, ms, ratio } from './measure.ts'
import type { Row } from './row.ts'
import { answers, apartFrom, sendThrough, setting, startBridge } from './setting.ts'

const rounds = 150
const warmUp = 20
const compiledAfter = 300

/**
 * P1: a warm turn through Iris and over the bare pipe of the same real CLI: as a user goes, through `iris mcp`; over HTTP;
 * in-process. The CLI itself takes longer with tools to carry, so it is measured with the same hook and tools as Iris gives
 * it, and once without any. It also takes longer with each turn of its conversation, so both sides of a row begin new ones.
 */
export async function warmTurn(): Promise<readonly Row[]> {
  await using iris = await setting()
  const { world, claude, caller } = iris
  const bridge = await startBridge(world)
  const asUser = (thread: string) => (): Promise<unknown> => sendThrough(bridge, 'backend', thread)
  const overHttp = (thread: string) => (): Promise<unknown> => caller.send('backend', 'hello', { thread })
  const place = { executable: claude, ...apartFrom(world) }
  // Processor time counts once the code is compiled.
  for (let warm = 0; warm < compiledAfter; warm++) await sendThrough(bridge, 'backend')
  const asUsers = await against(world, claude, asUser('user'), true, iris.daemon.pid)
  const minThroughBridge = await besideNewFloor(world, place, async (floor) => {
    for (let warm = 0; warm < compiledAfter; warm++) await floor.turnThroughBridge()
    await floor.renew()
    return against(world, claude, floor.turnThroughBridge, true, floor.pid)
  })
  const [processor, leastProcessor] = [asUsers.processorMs, minThroughBridge.processorMs]
  const besideFloor = await besideNewFloor(world, place, (floor) =>
    alternate(rounds, asUser('floor'), floor.turnThroughBridge, warmUp),
  )
  await bridge.close()
  const same = await against(world, claude, overHttp('http'), true)
  const bare = await against(world, claude, overHttp('bare'), false)
  const least = await besideNewFloor(world, place, (floor) => against(world, claude, floor.turn, true))
  await using inside = await TestIris.start({ script: answers })
  const inProcess = await against(inside.world, claude, () => ask(inside, 'hello'), true)
  return [
    { id: 'P1', what: 'warm turn: through iris mcp ÷ the same CLI over its pipe', ...said(asUsers) },
    {
      id: 'P1',
      what: 'warm turn: through a bridge that only copies, two commits ÷ the same CLI over its pipe',
      ...said(minThroughBridge),
      aim: 'the floor',
    },
    {
      id: 'P1',
      what: 'warm turn: through iris mcp ÷ that floor, in turn',
      ...said(besideFloor),
      aim: 'reported',
    },
    {
      id: 'P1',
      what: 'processor for a turn of the real CLI: the daemon ÷ that floor',
      aim: '≤ 3×',
      measured: `${ratio(processor / leastProcessor)}  (${ms(processor)} ÷ ${ms(leastProcessor)})`,
      data: { processor, leastProcessor },
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

/** `pid`: whose processor time of a turn is measured too, in milliseconds. Neither counts what begins a conversation. */
async function against(
  world: World,
  claude: string,
  turn: () => Promise<unknown>,
  asIris: boolean,
  pid = process.pid,
): Promise<Sides & { readonly processorMs: number }> {
  const { cwd, env } = apartFrom(world)
  const direct = new DirectClaude(claude, cwd, env, asIris)
  await direct.initialize()
  const bare = (): Promise<unknown> => direct.turn('hello')
  await alternate(warmUp, turn, bare)
  const before = processorMs(pid)
  const sides = await alternate(rounds, turn, bare)
  const used = processorMs(pid) - before
  await direct.end()
  return { ...sides, processorMs: used / rounds }
}

function said({ a, b }: Sides): Omit<Row, 'id' | 'what'> {
  const measured = `${ratio(a.p50 / b.p50)}  (${ms(a.p50)} ÷ ${ms(b.p50)}, +${ms(a.p50 - b.p50)}, n=${a.n})`
  return { measured, aim: '≤ 1.10×', data: { iris: a, direct: b } }
}
