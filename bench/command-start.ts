import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mainFile } from '../test/support/program.ts'
import { alternate, ms, ratio } from './measure.ts'
import type { Row } from './row.ts'
import { setting } from './setting.ts'

const rounds = 20

/** P13: how long a person waits for a command, beside what Node alone takes to start. */
export async function commandStart(): Promise<readonly Row[]> {
  await using bench = await setting({ fake: true })
  const env = { ...bench.world.env, IRIS_HOME: bench.world.home }
  const run = async (...args: string[]): Promise<void> => {
    const [code] = await once(spawn(process.execPath, args, { env, stdio: 'ignore' }), 'close')
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`)
  }
  const row = async (command: string): Promise<Row> => {
    const { a, b } = await alternate(
      rounds,
      () => run(mainFile, command),
      () => run('-e', '0'),
    )
    return {
      id: 'P13',
      what: `iris ${command} ÷ node that does nothing, exec to exit`,
      measured: `${ratio(a.p50 / b.p50)}  (${ms(a.p50)} ÷ ${ms(b.p50)}, n=${a.n})`,
      aim: '≤ 150 ms',
      data: { a, b },
    }
  }
  return [await row('--version'), await row('status')]
}
