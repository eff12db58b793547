import { DirectClaude } from './direct.ts'
import { alternate, ratio } from './measure.ts'
import type { Row } from './row.ts'
import { apartFrom, type Setting, sendThrough, setting, startBridge } from './setting.ts'

const rounds = 40
const turnsAtOnce = 5

const teams = ['backend', 'mobile', 'web']

type Turn = (index: number) => Promise<unknown>

/** Three pairs working at the same time, against three CLIs driven directly: each through an `iris mcp` of its own, and over HTTP. */
export async function concurrent(): Promise<readonly Row[]> {
  await using iris = await setting()
  const bridges = await Promise.all(teams.map(() => startBridge(iris.world)))
  const rows = [
    await against(iris, 'through iris mcp', (index) => sendThrough(bridges[index]!, teams[index]!, 'user')),
    await against(iris, 'Iris over HTTP', (index) => iris.caller.send(teams[index]!, 'hello', { thread: 'http' })),
  ]
  await Promise.all(bridges.map((bridge) => bridge.close()))
  return rows
}

/** Both sides begin new conversations: the CLI takes longer with each turn of one. */
async function against({ world, claude }: Setting, how: string, turn: Turn): Promise<Row> {
  const { cwd, env } = apartFrom(world)
  const direct = teams.map(() => new DirectClaude(claude, cwd, env, true))
  await Promise.all(direct.map((each) => each.initialize()))
  const directly: Turn = (index) => direct[index]!.turn('hello')
  const several = async (one: () => Promise<unknown>): Promise<void> => {
    for (let count = 0; count < turnsAtOnce; count++) await one()
  }
  const all = (side: Turn) => () => Promise.all(teams.map((_, index) => several(() => side(index))))
  await all(turn)()
  await all(directly)()
  const { a, b } = await alternate(rounds, all(turn), all(directly))
  await Promise.all(direct.map((each) => each.end()))
  const perSecond = (time: number): string => `${((teams.length * turnsAtOnce * 1000) / time).toFixed(0)}/s`
  return {
    id: 'pairs',
    what: `turns a second, three pairs at once: ${how} ÷ three CLIs driven directly`,
    measured: `${ratio(b.p50 / a.p50)}  (${perSecond(a.p50)} ÷ ${perSecond(b.p50)}, n=${a.n})`,
    aim: '≥ 0.92× (upstream 0.79)',
    data: { iris: a, direct: b },
  }
}
