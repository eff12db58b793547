import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startDaemon } from '../src/app/daemon/daemon.ts'
import { fakeClaude } from '../test/support/fake-claude.ts'
import { createWorld } from '../test/support/world.ts'
import type { Row } from './row.ts'

const sessions = 1000
/** With so many the daemon has reached what it needs anyway: code, statements, the turns kept for late readers. */
const before = 1000

/**
 * P6: what a session weighs in the daemon while nothing goes on in it. Each has had a message, cancelled while it waited
 * behind a pool of one that is busy: so it has all that a session has, and no process need be started for it.
 */
export async function idleSessions(): Promise<readonly Row[]> {
  using fake = fakeClaude({ script: (file) => ({ rules: [{ steps: [{ waitForFile: file('gate') }] }] }) })
  const settings = { claudePath: fake.claudePath, env: { ...fake.env }, maxProcesses: 1 }
  await using world = await createWorld({ teams: ['backend'], settings })
  const daemon = await startDaemon({ home: world.home, env: world.env })
  await daemon.recovered
  const { orchestrator } = daemon.parts
  const say = (thread: string) => {
    const pair = { from: 'external', to: 'backend', thread }
    return orchestrator.ask({
      pair,
      message: 'hello',
      waits: false,
      idempotencyKey: undefined,
      parent: undefined,
    })
  }
  say('busy')
  const speak = async (from: number, to: number): Promise<void> => {
    for (let number = from; number < to; number++) {
      const id = say(`t${number}`)
      orchestrator.cancel(id)
      await orchestrator.turn(id)?.settled
    }
  }
  await speak(0, before)
  const few = await weight()
  await speak(before, before + sessions)
  const many = await weight()
  await daemon.stop(0)
  const [heap, rss] = [many.heap - few.heap, many.rss - few.rss]
  return [
    {
      id: 'P6',
      what: `${sessions} idle sessions more: heap and buffers after GC`,
      measured: `${mb(heap)} (resident ${mb(rss)})`,
      aim: '≤ 10 MB',
      data: { few, many },
    },
  ]
}

const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

async function weight(): Promise<{ heap: number; rss: number }> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 5; round++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heap: heapUsed + external, rss }
}
