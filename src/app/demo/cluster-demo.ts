import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StdioClient } from '../../adapters/client/stdio-client.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { TurnResult } from '../../base/protocol/turn.ts'
import { type DemoParts, reasonOf } from './demo.ts'
import { configText, type DemoWorld, makeDemoWorld } from './demo-world.ts'
import { startNats } from './nats-for-demo.ts'
import { questions, sampleScript } from './sample-script.ts'
import { startScriptedModel } from './scripted-model.ts'

export interface ClusterDemoOutcome {
  readonly directory: string
  readonly answers: readonly {
    readonly from: string
    readonly question: string
    readonly response: string
    readonly news?: string
  }[]
}

const hosts = [
  { name: 'laptop', teams: ['frontend'] },
  { name: 'studio', teams: ['backend'] },
  { name: 'tower', teams: ['backend'] },
] as const
const lookEveryMs = 50
const appearMs = 20_000

/**
 * Three hosts on this machine, joined by a nats-server. The laptop's `frontend` asks `backend`, which lives on the two
 * other hosts. One of these is killed, and the other one continues. Throws when an answer is wrong. Everything it
 * started has ended before it returns or throws.
 */
export async function runClusterDemo(parts: Omit<DemoParts, 'live'>): Promise<ClusterDemoOutcome> {
  const { env, say } = parts
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'iris-cluster-demo-')))
  const nats = await startNats(join(root, 'nats'), env, parts.guard)
  say(`nats-server      ${nats.url}`)
  const model = await startScriptedModel({ script: sampleScript })
  const worlds = hosts.map(({ name, teams }) => {
    const world = makeDemoWorld(env, model.url)
    const cluster = `cluster:\n  servers: ${nats.url}\n  name: ${name}\n`
    const text = configText(world.projects, false, teams).replace(
      '  backend:\n',
      '  backend:\n    hosts: [studio, tower]\n',
    )
    writeFileSync(join(world.home, 'config.yaml'), text + cluster, { mode: 0o600 })
    return { name, world }
  })
  try {
    const pids = new Map<string, number>()
    for (const { name, world } of worlds) {
      parts.signal.throwIfAborted()
      const { pid, port } = await parts.startDaemon(world.home, world.env)
      pids.set(name, pid)
      say(`${name.padEnd(16)} pid ${pid}, port ${port}`)
    }
    const [laptop] = worlds.map(({ world }) => world)
    const killStudio = (): void => void process.kill(pids.get('studio')!, 'SIGKILL')
    const answers = await withBridge(laptop!, parts, (client) => converse(client, killStudio, say))
    return { directory: root, answers }
  } catch (error) {
    throw reasonOf(error, parts.signal, root)
  } finally {
    for (const { world } of worlds) await parts.stopDaemon(world.home)
    await model.close()
    await nats.end()
  }
}

async function withBridge<T>(
  world: DemoWorld,
  { bridge, signal }: Pick<DemoParts, 'bridge' | 'signal'>,
  run: (client: StdioClient) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  const { frontend } = world.projects
  const env = { ...world.env, CLAUDE_PROJECT_DIR: frontend }
  const client = await StdioClient.start({ ...bridge, cwd: frontend, env })
  const abort = (): void => void client.close()
  signal.addEventListener('abort', abort)
  try {
    return await run(client)
  } finally {
    signal.removeEventListener('abort', abort)
    await client.close()
  }
}

async function converse(client: StdioClient, killStudio: () => void, say: (line: string) => void) {
  await appear(client, ['backend@studio', 'backend@tower'])
  say('\nlaptop lists      backend@studio, backend@tower: one team on two hosts\n')
  const answers: { from: string; question: string; response: string; news?: string }[] = []
  const ask = async (question: string): Promise<void> => {
    say(`frontend asks     backend: ${question}`)
    const sent = (await client.call('send_message', { toTeam: 'backend', message: question, timeout: 0 })) as TurnResult
    if (sent.contextReset) say(`                  ${sent.contextReset}`)
    const news = sent.contextReset ? { news: sent.contextReset } : {}
    answers.push({ from: sent.to, question, response: answerOf(sent, say), ...news })
  }
  await ask(questions.first)
  await ask(questions.second)
  killStudio()
  say('studio is killed.\n')
  await ask(questions.third)
  return answers
}

function answerOf({ status, response, detail }: TurnResult, say: (line: string) => void): string {
  if (status !== 'completed' || response === undefined) {
    throw new IrisError(
      'internal',
      `The question was not answered: ${status} (${detail ?? 'no reason given'}).`,
      'See the log.',
    )
  }
  say(`backend answers   ${response}\n`)
  return response
}

async function appear(client: StdioClient, names: readonly string[]): Promise<void> {
  const late = performance.now() + appearMs
  for (;;) {
    const { teams } = await client.call('list_teams', {})
    const listed = new Set(teams.map(({ name }) => name))
    if (names.every((name) => listed.has(name))) return
    if (performance.now() > late) throw new IrisError('internal', 'The hosts did not find each other.', 'See the log.')
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
}
