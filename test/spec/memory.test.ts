import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, test } from 'vitest'
import { type Daemon, startDaemon } from '../../src/app/daemon/daemon.ts'
import { callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { type FakeClaudeSetup, fakeClaude } from '../support/fake-claude.ts'
import { createWorld, type World } from '../support/world.ts'

const MiB = 1024 * 1024

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

let fake: FakeClaudeSetup
let world: World
let daemon: Daemon

beforeAll(async () => {
  const rules = [{ when: 'at great length', steps: [{ text: 'a word '.repeat(2 * MiB) }] }]
  fake = fakeClaude({ bare: true, script: { rules } })
  const team = { claudePath: fake.claudePath, env: fake.env }
  world = await createWorld({ teams: { frontend: team, backend: team } })
  daemon = await startDaemon({ home: world.home, env: world.env, daemonPid: 0 })
})

afterAll(async () => {
  await daemon.stop(0)
  await world[Symbol.asyncDispose]()
  fake[Symbol.dispose]()
})

/** Sends so many messages, one after the other. */
async function send(turns: number, message: string): Promise<void> {
  const endpoint = { port: daemon.port, token: world.token() }
  for (let turn = 0; turn < turns; turn++) {
    const { status } = await callTool(endpoint, 'send_message', { toTeam: 'backend', message, timeout: 0 })
    if (status !== 'completed') throw new Error(`a turn ended as ${String(status)}`)
  }
}

/** The memory of this process in bytes after garbage collection. */
function held(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

test('memory holds the lines of settled turns by their size, not by their number', async () => {
  const long = 'a word '.repeat(35_000)
  await send(40, long)
  const before = held()
  await send(40, long)
  await eventually(() => held() - before < 4 * MiB, 'no more than 4 MiB are held')
})

test('after an answer of 14 MiB memory holds its beginning only', async () => {
  await send(1, 'Say it.')
  const before = held()
  await send(1, 'Say it at great length.')
  await eventually(() => held() - before < 8 * MiB, 'no more than 8 MiB are held')
})
