import { TestIris } from '../test/support/iris.ts'
import { DirectClaude } from './direct.ts'
import { ask } from './in-process.ts'
import { alternate, ms, ratio } from './measure.ts'
import type { Row } from './row.ts'
import { answers, setting } from './setting.ts'

const rounds = 150

/** P1: a warm turn through Iris and over the bare pipe of the same real CLI. */
export async function warmTurn(): Promise<readonly Row[]> {
  await using iris = await setting()
  const direct = new DirectClaude(iris.claude, iris.world.directory('mobile'), iris.world.env)
  await direct.initialize()
  await direct.turn('warm up')
  await iris.caller.send('backend', 'warm up')
  const http = await alternate(
    rounds,
    () => iris.caller.send('backend', 'hello'),
    () => direct.turn('hello'),
  )
  await direct.end()

  await using inside = await TestIris.start({ script: answers, settings: { logLevel: 'error' } })
  const second = new DirectClaude(iris.claude, inside.world.directory('mobile'), inside.world.env)
  await second.initialize()
  await second.turn('warm up')
  await ask(inside, 'warm up')
  const inProcess = await alternate(
    rounds,
    () => ask(inside, 'hello'),
    () => second.turn('hello'),
  )
  await second.end()
  return [
    { id: 'P1', what: 'warm turn: Iris over MCP/HTTP ÷ the same CLI over its pipe', ...said(http) },
    { id: 'P1', what: 'warm turn: Iris in-process ÷ the same CLI over its pipe', ...said(inProcess) },
  ]
}

function said({ a, b }: Awaited<ReturnType<typeof alternate>>): Omit<Row, 'id' | 'what'> {
  const measured = `${ratio(a.p50 / b.p50)}  (${ms(a.p50)} ÷ ${ms(b.p50)}, +${ms(a.p50 - b.p50)}, n=${a.n})`
  return { measured, aim: '≤ 1.05×', data: { iris: a, direct: b } }
}
