import { DirectClaude } from './direct.ts'
import { ms, ratio, summarize, timed } from './measure.ts'
import type { Row } from './row.ts'
import { apartFrom, setting } from './setting.ts'

const rounds = 20

/** P2 and P3: a first answer of a new session through Iris and by a bare spawn, and a warm one beside it. */
export async function coldAndWarm(): Promise<readonly Row[]> {
  await using iris = await setting({ maxProcesses: rounds + 8 })
  const { model } = iris.world
  const { cwd, env } = apartFrom(iris.world)
  const bare = async (): Promise<void> => {
    const claude = new DirectClaude(iris.claude, cwd, env)
    await claude.initialize()
    await claude.turn('hello')
    ending.push(claude.end())
  }
  const ending: Promise<void>[] = []
  let thread = 0
  const cold = async (): Promise<void> => {
    thread += 1
    await iris.caller.send('backend', 'hello', { thread: `t${thread}` })
    // Its process is ended outside the clock, so that both sides find as many running.
    ending.push(iris.caller.call('team_sleep', { team: 'backend', thread: `t${thread}` }).then(() => {}))
  }
  const settle = async (): Promise<void> => {
    await Promise.all(ending.splice(0))
  }
  const { a, b } = await alternateSettled(cold, bare, settle)
  await iris.caller.send('backend', 'hello')
  const asleep: number[] = []
  const warm: number[] = []
  for (let round = 0; round < rounds; round++) warm.push(await timed(() => iris.caller.send('backend', 'hello')))
  for (let round = 0; round < rounds; round++) {
    await iris.caller.call('team_sleep', { team: 'backend' })
    const before = model.requests.turns
    await iris.caller.call('team_wake', { team: 'backend' })
    if (model.requests.turns !== before) throw new Error('waking called the model')
    asleep.push(await timed(() => iris.caller.send('backend', 'hello')))
  }
  const warmed = summarize(warm)
  return [
    {
      id: 'P2',
      what: 'a cold first answer ÷ a warm one, same CLI',
      measured: `${ratio(b.p50 / warmed.p50)}  (${ms(b.p50)} ÷ ${ms(warmed.p50)})`,
      aim: '≥ 10×',
      data: { cold: b, warm: warmed },
    },
    {
      id: 'P3',
      what: 'first answer of a new session: Iris ÷ a bare spawn',
      measured: `${ratio(a.p50 / b.p50)}  (${ms(a.p50)} ÷ ${ms(b.p50)}, n=${a.n})`,
      aim: '≤ 1.05× (upstream 1.76)',
      data: { iris: a, bare: b },
    },
    {
      id: 'P3',
      what: 'model calls spent on waking',
      measured: `0  (first turn after it ${ms(summarize(asleep).p50)})`,
      aim: '0 (upstream 2)',
      data: { afterWake: summarize(asleep) },
    },
  ]
}

async function alternateSettled(a: () => Promise<void>, b: () => Promise<void>, settle: () => Promise<void>) {
  await a()
  await b()
  await settle()
  const times = { a: [] as number[], b: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? (['a', 'b'] as const) : (['b', 'a'] as const)) {
      times[side].push(await timed(side === 'a' ? a : b))
      await settle()
    }
  }
  return { a: summarize(times.a), b: summarize(times.b) }
}
