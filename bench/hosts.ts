import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { DaemonProcess } from '../test/support/daemon-process.ts'
import { eventually } from '../test/support/eventually.ts'
import { fakeClaude } from '../test/support/fake-claude.ts'
import { loginOf } from '../test/support/remote-world.ts'
import { startSshHost } from '../test/support/ssh-host.ts'
import { createWorld } from '../test/support/world.ts'
import { startBareHost } from './bare-host.ts'
import { residentMiB } from './daemon-figures.ts'
import { DirectClaude } from './direct.ts'
import { besideNewFloor } from './floor.ts'
import { lineThere } from './host-line.ts'
import { reattach } from './host-reattach.ts'
import { HttpCaller } from './http-caller.ts'
import { alternate, ms, ratio, type Sample, summarize, timed } from './measure.ts'
import type { Row } from './row.ts'
import { answers, apartFrom, sendThrough, startBridge } from './setting.ts'

const warmRounds = 80
const warmUp = 20
const coldRounds = 10
const sessions = 50
const replayBytes = 10_000_000

/** H: a team behind a real sshd of this machine, beside the same CLI that a bare ssh starts there. */
export async function hosts(): Promise<readonly Row[]> {
  return [
    ...(await turns()),
    ...(await lineThere()),
    ...(await reattach()),
    ...(await manySessions()),
    ...(await replay()),
  ]
}

async function turns(): Promise<readonly Row[]> {
  await using host = await startSshHost()
  const path = realpathSync(host.directory('backend'))
  const teams = { frontend: {}, here: {}, backend: { remote: host.remote, path } }
  await using world = await createWorld({ script: answers, teams, settings: { maxProcesses: coldRounds + 8 } })
  host.writeProfile(loginOf(world.model.url))
  await using daemon = await DaemonProcess.start(world)
  const caller = new HttpCaller(daemon)
  const place = {
    executable: join(host.home, '.local/bin/claude'),
    ...apartFrom({ root: host.home, env: { ...loginOf(world.model.url), PATH: '/usr/bin:/bin' } }),
    through: ['ssh', '-T', '-F', host.clientConfig, 'inanna', '--'],
  }
  const bare = (): DirectClaude => new DirectClaude(place.executable, place.cwd, place.env, true, place.through)
  await eventually(() => existsSync(join(world.home, 'daemon.sock')), 'the socket in the home')
  const bridge = await startBridge(world)
  const apart = apartFrom(world)
  const here = (): DirectClaude => new DirectClaude(place.executable, apart.cwd, apart.env, true)
  const asUser = await against(bare(), () => sendThrough(bridge, 'backend', 'user'))
  const minAsUser = await besideNewFloor(world, place, (floor) => against(bare(), floor.turnThroughBridge))
  const warm = await against(bare(), () => caller.send('backend', 'hello', { thread: 'http' }))
  const least = await besideNewFloor(world, place, (floor) => against(bare(), floor.turn))
  const warmHere = await against(here(), () => caller.send('here', 'hello'))
  await bridge.close()
  const cold: Record<'iris' | 'bare', number[]> = { iris: [], bare: [] }
  for (let round = 0; round < coldRounds; round++) {
    const thread = `t${round}`
    cold.iris.push(await timed(() => caller.send('backend', 'hello', { thread })))
    await caller.call('team_sleep', { team: 'backend', thread })
    const one = bare()
    cold.bare.push(
      await timed(async () => {
        await one.initialize()
        await one.turn('hello')
      }),
    )
    await one.end()
  }
  caller.close()
  return [
    row('warm turn over ssh: through iris mcp ÷ the same CLI behind a bare ssh', '≤ 1.15×', asUser.a, asUser.b),
    row(
      'a bridge that only copies, and two commits ÷ the same CLI, both behind a bare ssh',
      'the floor',
      minAsUser.a,
      minAsUser.b,
    ),
    row('through Iris over HTTP ÷ the same CLI behind a bare ssh', '≤ 1.15×', warm.a, warm.b),
    row('bare HTTP and two commits ÷ the same CLI, both behind a bare ssh', 'the floor', least.a, least.b),
    row('the same on this machine, without ssh on either side', 'what Iris itself takes', warmHere.a, warmHere.b),
    row(
      'first answer there, connection warm: Iris ÷ a bare ssh',
      '≤ 1.05×',
      summarize(cold.iris),
      summarize(cold.bare),
    ),
  ]
}

/** Both in turn, each in a new conversation: the CLI takes longer with each turn of one. */
async function against(direct: DirectClaude, turn: () => Promise<unknown>): Promise<{ a: Sample; b: Sample }> {
  await direct.initialize()
  const sides = await alternate(warmRounds, turn, () => direct.turn('hello'), warmUp)
  await direct.end()
  return sides
}

function row(what: string, aim: string, iris: Sample, bare: Sample): Row {
  const measured = `${ratio(iris.p50 / bare.p50)}  (${ms(iris.p50)} ÷ ${ms(bare.p50)}, n=${iris.n})`
  return { id: 'H', what, measured, aim, data: { iris, bare } }
}

/** What fifty conversations there cost here. */
async function manySessions(): Promise<readonly Row[]> {
  await using host = await startSshHost()
  using fake = fakeClaude({ bare: true })
  const { claudePath, env } = fake
  const backend = { remote: host.remote, path: realpathSync(host.directory('backend')), claudePath, env }
  await using world = await createWorld({
    teams: { frontend: {}, backend },
    settings: { maxProcesses: sessions + 10 },
  })
  host.writeProfile({ PATH: process.env['PATH'] ?? '' })
  await using daemon = await DaemonProcess.start(world)
  const caller = new HttpCaller(daemon)
  for (let number = 0; number < 5; number++) await caller.send('backend', 'hello', { thread: `w${number}` })
  const before = residentMiB(daemon.pid)
  for (let number = 0; number < sessions - 5; number++) await caller.send('backend', 'hello', { thread: `t${number}` })
  const perSession = (residentMiB(daemon.pid) - before) / (sessions - 5)
  const connections = host.connections()
  caller.close()
  return [
    {
      id: 'H',
      what: `${sessions} living sessions on one machine: connections`,
      aim: '1',
      measured: `${connections}`,
      data: { connections },
    },
    {
      id: 'H',
      what: 'memory of the daemon for each of them',
      aim: '≤ 1 MB',
      measured: `${perSession.toFixed(2)} MiB`,
      data: { perSession },
    },
  ]
}

/** What a program said while nobody was connected. */
async function replay(): Promise<readonly Row[]> {
  await using bareHost = await startBareHost()
  const { host, tag } = bareHost
  const rates: number[] = []
  const bare: number[] = []
  for (let round = 0; round < 5; round++) {
    const run = `replay-${round}`
    const args = ['-c', `head -c ${replayBytes} /dev/zero; sleep 100`]
    const command = {
      executable: '/bin/sh',
      args,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', IRIS_PROCESS: tag },
    }
    const options = { run, tag, session: run, graceMs: 60_000 }
    const first = await host.programs.start(command, options)
    await first.detach()
    while ((await host.programs.runs()).find((each) => each.run === run)?.bytes !== replayBytes);
    let bytes = 0
    const took = await timed(async () => {
      const child = await host.programs.attach(run, 0)
      await new Promise<void>((resolve) => {
        child.read((chunk) => {
          bytes += chunk.length
          if (bytes >= replayBytes) resolve()
          return undefined
        })
      })
    })
    rates.push(replayBytes / 1e6 / (took / 1000))
    const beside = await timed(() => host.run(`head -c ${replayBytes} /dev/zero`, { mostBytes: replayBytes }))
    bare.push(replayBytes / 1e6 / (beside / 1000))
    await host.programs.sweep(tag, 100)
  }
  const [{ p50 }, beside] = [summarize(rates), summarize(bare)]
  return [
    {
      id: 'H',
      what: '10 MB said during a gap, from attaching to the last byte',
      aim: '≥ 50 MB/s',
      measured: `${p50.toFixed(0)} MB/s  (a command's own output there: ${beside.p50.toFixed(0)} MB/s)`,
      data: { rates, bare },
    },
  ]
}
