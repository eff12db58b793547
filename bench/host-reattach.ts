import { filter, firstValueFrom } from 'rxjs'
import type { Link, RemoteChild } from '../src/platform/hosts/host.ts'
import { startBareHost } from './bare-host.ts'
import { ms, summarize, timed } from './measure.ts'
import type { Row } from './row.ts'

const rounds = 10
const aim = '≤ 1.5 s'

/** How soon a program is attached to again: after a cut while the host answers, and after an outage from when the host answers. */
export async function reattach(): Promise<readonly Row[]> {
  await using bare = await startBareHost()
  const { ssh, host, tag } = bare
  const command = {
    executable: '/bin/cat',
    args: [],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', IRIS_PROCESS: tag },
  }
  const child = await host.programs.start(command, { run: 'cut', tag, session: 'cut', graceMs: 600_000 })
  child.read(() => undefined)
  const cuts: number[] = []
  const outages: number[] = []
  for (let round = 0; round < rounds; round++) {
    const lost = becomes(child, 'lost')
    ssh.cut()
    await lost
    cuts.push(await timed(() => becomes(child, 'connected')))
    const gone = becomes(child, 'lost')
    await ssh.vanish()
    await gone
    // Long enough for the pauses between two attempts to have grown to their longest.
    await new Promise((resolve) => setTimeout(resolve, 4000))
    await ssh.restart([])
    outages.push(await timed(() => becomes(child, 'connected')))
  }
  return [
    row('from the loss of a connection to a host that answers until the program is attached to again', cuts),
    row('the same after an outage, from when the host answers', outages),
  ]
}

function becomes({ link$ }: RemoteChild, kind: Link['kind']): Promise<Link> {
  return firstValueFrom(link$.pipe(filter((link) => link.kind === kind)))
}

function row(what: string, times: readonly number[]): Row {
  const sample = summarize(times)
  return { id: 'H', what, measured: `${ms(sample.p50)}, p95 ${ms(sample.p95)}, n=${sample.n}`, aim, data: { sample } }
}
