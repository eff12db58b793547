import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { fakeClaude } from '../test/support/fake-claude.ts'
import { TestIris } from '../test/support/iris.ts'
import { ask } from './in-process.ts'
import type { Row } from './row.ts'

const sessions = 1000
/** With so many the daemon has reached what it needs anyway: code, statements, buffers, the lines kept for late readers. */
const before = 300

/**
 * P6: what a session weighs in the daemon while nothing goes on in it. Each has had one turn, with a fake CLI, and its
 * process has made room for the next ones. The CLI's own processes are not counted.
 */
export async function idleSessions(): Promise<readonly Row[]> {
  using fake = fakeClaude({ bare: true })
  const settings = { claudePath: fake.claudePath, env: { ...fake.env }, maxProcesses: 2, logLevel: 'error' }
  await using iris = await TestIris.start({ settings })
  const speak = async (from: number, to: number): Promise<void> => {
    for (let number = from; number < to; number++) await ask(iris, 'hello', `t${number}`)
  }
  await speak(0, before)
  const few = weight()
  await speak(before, before + sessions)
  const many = weight()
  const [heap, rss] = [many.heap - few.heap, many.rss - few.rss]
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
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

function weight() {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 3; round++) collect()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heap: heapUsed + external, rss }
}
