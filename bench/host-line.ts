import { spawn } from 'node:child_process'
import { startBareHost } from './bare-host.ts'
import { alternate, ms } from './measure.ts'
import type { Row } from './row.ts'

const rounds = 500
/** Bytes of a short message to Claude Code, as P8 has it, and of one of a paragraph. */
const lengths = [291, 1200]

/** What the supervisor adds to a line on its way there and back: a program that says it again, beside the same behind a bare ssh. */
export async function lineThere(): Promise<readonly Row[]> {
  await using bareHost = await startBareHost()
  const { ssh, host, tag } = bareHost
  const env = { PATH: '/usr/bin:/bin', IRIS_PROCESS: tag }
  const command = { executable: '/bin/cat', args: [], cwd: '/', env }
  const supervised = await host.programs.start(command, { run: 'line', tag, session: 'line', graceMs: 60_000 })
  const bare = spawn('ssh', ['-T', '-F', ssh.clientConfig, 'inanna', '--', 'exec cat'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let onLine: () => void = () => {}
  const take = (chunk: Buffer): undefined => {
    if (chunk.at(-1) === 0x0a) onLine()
  }
  supervised.read(take)
  bare.stdout.on('data', take)
  const said = (write: () => unknown): Promise<void> =>
    new Promise((resolve) => {
      onLine = resolve
      write()
    })
  let messages = 0
  const rows: Row[] = []
  for (const length of lengths) {
    const line = `${'x'.repeat(length - 1)}\n`
    const under = (): Promise<void> => said(() => void supervised.write(line, `m${++messages}`))
    const { a, b } = await alternate(rounds, under, () => said(() => bare.stdin.write(line)))
    rows.push({
      id: 'H',
      what: `a line of ${length} bytes there and back, under the supervisor − a bare ssh`,
      measured: `+${ms(a.p50 - b.p50)}  (${ms(a.p50)} − ${ms(b.p50)}, least ${ms(a.min)} − ${ms(b.min)}, n=${a.n})`,
      aim: 'reported',
      data: { supervised: a, bare: b },
    })
  }
  bare.kill()
  return rows
}
