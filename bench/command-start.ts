import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { alternate, ms, ratio } from './measure.ts'
import type { Row } from './row.ts'
import { setting } from './setting.ts'

const rounds = 20
const root = fileURLToPath(new URL('..', import.meta.url))
const commands = ['--version', '--help', 'status', 'teams list', 'completion bash']

/** P13: how long a person waits for a command, beside what Node alone takes to start: from a checkout, and from the package. */
export async function commandStart(): Promise<readonly Row[]> {
  await using bench = await setting({ fake: true })
  const env = { ...bench.world.env, IRIS_HOME: bench.world.home }
  const run = async (...line: string[]): Promise<void> => {
    const [command = '', ...args] = line
    const [code] = await once(spawn(command, args, { env, stdio: 'ignore' }), 'close')
    if (code !== 0) throw new Error(`${line.join(' ')} ended with ${code}`)
  }
  // What npm would pack; what it needs stands beside it either way.
  await run(process.execPath, `${root}scripts/build.ts`)
  const rows: Row[] = []
  for (const [where, program] of [
    ['a checkout', [`${root}iris`]],
    ['the package', [process.execPath, `${root}dist/main.js`]],
  ] as const) {
    for (const command of commands) {
      const { a, b } = await alternate(
        rounds,
        () => run(...program, ...command.split(' ')),
        () => run(process.execPath, '-e', '0'),
      )
      rows.push({
        id: 'P13',
        what: `iris ${command} from ${where} ÷ node that does nothing`,
        measured: `${ratio(a.p50 / b.p50)}  (${ms(a.p50)} ÷ ${ms(b.p50)}, n=${a.n})`,
        aim: '≤ 150 ms',
        data: { a, b },
      })
    }
  }
  return rows
}
