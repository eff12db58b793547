import { DirectClaude } from './direct.ts'
import { alternate, ms } from './measure.ts'
import type { Row } from './row.ts'
import { apartFrom, setting } from './setting.ts'

const rounds = 600

/** P1b: what Iris itself adds to a turn, with a fake CLI that costs next to nothing. The ledger is on. */
export async function overhead(): Promise<readonly Row[]> {
  await using iris = await setting({ fake: true })
  const { cwd, env } = apartFrom(iris.world)
  const direct = new DirectClaude(iris.claude, cwd, { ...env, ...iris.fake!.env })
  await direct.initialize()
  for (let warm = 0; warm < 50; warm++) {
    await direct.turn('warm up')
    await iris.caller.send('backend', 'warm up')
  }
  const { a, b } = await alternate(
    rounds,
    () => iris.caller.send('backend', 'hello'),
    () => direct.turn('hello'),
  )
  await direct.end()
  const measured = `+${ms(a.p50 - b.p50)}  (${ms(a.p50)} against ${ms(b.p50)}, n=${a.n})`
  return [
    {
      id: 'P1b',
      what: 'added to a turn: Iris over MCP/HTTP, ledger on, fake CLI',
      measured,
      aim: '≤ 1.5 ms (upstream 4.06)',
      data: { iris: a, direct: b },
    },
  ]
}
