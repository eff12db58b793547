import { DirectClaude } from './direct.ts'
import { alternate, ratio } from './measure.ts'
import type { Row } from './row.ts'
import { setting } from './setting.ts'

const rounds = 40
const turnsAtOnce = 5

/** Three pairs working at the same time, against three CLIs driven directly. */
export async function concurrent(): Promise<readonly Row[]> {
  await using iris = await setting()
  const teams = ['backend', 'mobile', 'web']
  const direct = teams.map((team) => new DirectClaude(iris.claude, iris.world.directory(team), iris.world.env, true))
  await Promise.all(direct.map((claude) => claude.initialize()))
  const several = async (turn: () => Promise<unknown>): Promise<void> => {
    for (let index = 0; index < turnsAtOnce; index++) await turn()
  }
  const through = () => Promise.all(teams.map((team) => several(() => iris.caller.send(team, 'hello'))))
  const directly = () => Promise.all(direct.map((claude) => several(() => claude.turn('hello'))))
  await through()
  await directly()
  const { a, b } = await alternate(rounds, through, directly)
  await Promise.all(direct.map((claude) => claude.end()))
  const perSecond = (time: number): string => `${((teams.length * turnsAtOnce * 1000) / time).toFixed(0)}/s`
  return [
    {
      id: 'pairs',
      what: 'turns a second, three pairs at once: Iris ÷ three CLIs driven directly',
      measured: `${ratio(b.p50 / a.p50)}  (${perSecond(a.p50)} ÷ ${perSecond(b.p50)}, n=${a.n})`,
      aim: '≥ 0.95× (upstream 0.79)',
      data: { iris: a, direct: b },
    },
  ]
}
