import { callTool } from '../test/support/call-tool.ts'
import { DaemonProcess } from '../test/support/daemon-process.ts'
import { fakeClaude } from '../test/support/fake-claude.ts'
import { offersTo } from '../test/support/joined-iris.ts'
import { NatsServer } from '../test/support/nats.ts'
import { createWorld, type World } from '../test/support/world.ts'
import { residentMiB } from './daemon-figures.ts'
import { HttpCaller } from './http-caller.ts'
import { alternate, ms, ratio, type Sample, summarize, timed } from './measure.ts'
import type { Row } from './row.ts'

const sessions = 20
const turnsEach = 4
/** A turn mostly waits for its model, as a real one does. So cores do not end first. */
const thinkMs = 2000

/** C6: one host asks twenty conversations of one other host, and of three at once. Under a minute. */
export async function hostsAtOnce(): Promise<readonly Row[]> {
  await using ends = new AsyncDisposableStack()
  const server = ends.use(await NatsServer.start())
  const script = { rules: [{ steps: [{ delayMs: thinkMs }, { text: 'Done.' }] }] }
  const claude = ends.use(fakeClaude({ bare: true, script }))
  const start = async (name: string): Promise<DaemonProcess> => {
    const settings = { claudePath: claude.claudePath, maxProcesses: sessions + 5 }
    const cluster = { servers: server.url, name }
    const world = ends.use(await createWorld({ teams: [`team-${name}`], cluster, settings, env: claude.env }))
    return ends.use(await DaemonProcess.start(world))
  }
  const asker = await start('laptop')
  const names = ['studio', 'tower', 'mill']
  for (const name of names) await start(name)
  for (const name of names) await offersTo(asker, `team-${name}@${name}`)
  const turns = async (hosts: readonly string[], each: number): Promise<void> => {
    const conversations = hosts.flatMap((host) =>
      Array.from({ length: sessions }, (_, n) => ({ host, thread: `s-${n}` })),
    )
    await Promise.all(
      conversations.map(async ({ host, thread }) => {
        for (let count = 0; count < each; count++) {
          const { status } = await callTool(asker, 'send_message', {
            toTeam: `team-${host}@${host}`,
            thread,
            message: 'hello',
            timeout: 0,
          })
          if (status !== 'completed') throw new Error(String(status))
        }
      }),
    )
  }
  // Their processes are warm then.
  await turns(names, 1)
  const one = await timed(() => turns(['studio'], turnsEach))
  const three = await timed(() => turns(names, turnsEach))
  const perSecond = (hosts: number, took: number): number => (hosts * sessions * turnsEach * 1000) / took
  const [a, b] = [perSecond(1, one), perSecond(3, three)]
  return [
    {
      id: 'C6',
      what: `turns a second of 3 hosts × ${sessions} conversations, for each host ÷ one host`,
      measured: `${ratio(b / 3 / a)}  (${b.toFixed(1)}/s ÷ ${a.toFixed(1)}/s; a turn waits ${thinkMs} ms)`,
      aim: '≥ 0.9×',
      data: { one, three },
    },
  ]
}

const starts = 8
const warmTurns = 40

/** C7: a daemon without `cluster:`, beside one that is joined: start, memory, a warm turn on this host. Under a minute. */
export async function withoutCluster(): Promise<readonly Row[]> {
  await using ends = new AsyncDisposableStack()
  const server = ends.use(await NatsServer.start())
  const claude = ends.use(fakeClaude({ bare: true }))
  const world = async (more: object): Promise<World> =>
    ends.use(
      await createWorld({ teams: ['backend'], settings: { claudePath: claude.claudePath }, env: claude.env, ...more }),
    )
  const alone = await world({})
  const joined = await world({ cluster: { servers: server.url, name: 'laptop' } })
  const started = (one: World) => async (): Promise<void> => {
    await using daemon = await DaemonProcess.start(one)
    await callTool(daemon, 'list_teams')
  }
  for (const each of [alone, joined]) await started(each)()
  const start = await alternate(starts, started(alone), started(joined))
  const [one, two] = [ends.use(await DaemonProcess.start(alone)), ends.use(await DaemonProcess.start(joined))]
  const [here, there] = [new HttpCaller(one), new HttpCaller(two)]
  for (let n = 0; n < 5; n++) for (const caller of [here, there]) await caller.send('backend', 'hello')
  const turn = await alternate(
    warmTurns,
    () => here.send('backend', 'hello'),
    () => there.send('backend', 'hello'),
  )
  const memory = { a: summarize([residentMiB(one.pid)]), b: summarize([residentMiB(two.pid)]) }
  for (const caller of [here, there]) caller.close()
  const row = (what: string, { a, b }: { a: Sample; b: Sample }, text: (value: number) => string): Row => ({
    id: 'C7',
    what: `without cluster ÷ joined: ${what}`,
    aim: '≤ 1×',
    data: { a, b },
    measured: `${ratio(a.p50 / b.p50)}  (${text(a.p50)} ÷ ${text(b.p50)}, n=${a.n})`,
  })
  const mib = (value: number): string => `${value.toFixed(0)} MiB`
  return [row('start', start, ms), row('memory', memory, mib), row('a warm turn here', turn, ms)]
}
