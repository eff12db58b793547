import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StdioClient } from '../../adapters/client/stdio-client.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { TurnResult } from '../../base/protocol/turn.ts'
import type { DemoParts } from './demo.ts'
import { configText, type DemoWorld, makeDemoWorld } from './demo-world.ts'
import { startNats } from './nats-for-demo.ts'
import { questions, sampleScript } from './sample-script.ts'
import { startScriptedModel } from './scripted-model.ts'

export interface ClusterDemoOutcome {
  readonly directory: string
  readonly answers: readonly { readonly from: string; readonly question: string; readonly response: string }[]
}

const hosts = [
  { name: 'laptop', teams: ['frontend'] },
  { name: 'studio', teams: ['backend'] },
  { name: 'tower', teams: ['backend'] },
] as const
const lookEveryMs = 50
const appearMs = 20_000

/**
 * Three hosts on this machine, joined by a nats-server: `frontend` of the laptop asks `backend` of two others, and one of them
 * while it is away. Throws when an answer is wrong. Everything it started has ended before it returns or throws.
 */
export async function runClusterDemo(parts: Omit<DemoParts, 'live'>): Promise<ClusterDemoOutcome> {
  const { env, say } = parts
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'iris-cluster-demo-')))
  const nats = await startNats(join(root, 'nats'), env)
  say(`nats-server      ${nats.url}`)
  const model = await startScriptedModel({ script: sampleScript })
  const worlds = hosts.map(({ name, teams }) => {
    const world = makeDemoWorld(env, model.url)
    const cluster = `cluster:\n  servers: ${nats.url}\n  name: ${name}\n`
    writeFileSync(join(world.home, 'config.yaml'), configText(world.projects, false, teams) + cluster, { mode: 0o600 })
    return { name, world }
  })
  try {
    for (const { name, world } of worlds) {
      const { pid, port } = await parts.startDaemon(world.home, world.env)
      say(`${name.padEnd(16)} pid ${pid}, port ${port}`)
    }
    const [laptop, studio] = worlds.map(({ world }) => world)
    const answers = await withBridge(laptop!, parts, (client) => converse(client, studio!, parts))
    return { directory: root, answers }
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

async function converse(client: StdioClient, studio: DemoWorld, parts: Omit<DemoParts, 'live'>) {
  const { say, stopDaemon, startDaemon } = parts
  await appear(client, ['backend@studio', 'backend@tower'])
  say('\nlaptop lists      backend@studio, backend@tower\n')
  const answers = []
  for (const team of ['backend@studio', 'backend@tower']) {
    say(`frontend asks     ${team}: ${questions.first}`)
    const sent = await client.call('send_message', { toTeam: team, message: questions.first, timeout: 0 })
    answers.push({ from: team, question: questions.first, response: answerOf(sent as TurnResult, say) })
  }
  await stopDaemon(studio.home)
  say('studio is switched off.')
  const message = { toTeam: 'backend@studio', message: questions.second, timeout: -1 }
  const { turnId } = (await client.call('send_message', message)) as TurnResult
  say(`frontend asks     backend@studio: ${questions.second}`)
  say(`                  accepted as ${turnId}; it waits.`)
  await startDaemon(studio.home, studio.env)
  say('studio is back.')
  const late = await client.call('message_status', { turnId, timeout: 0 })
  const response = answerOf(late, say)
  return [...answers, { from: 'backend@studio', question: questions.second, response }]
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
