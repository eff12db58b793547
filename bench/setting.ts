import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { StdioClient } from '../src/adapters/client/stdio-client.ts'
import type { Script } from '../src/app/demo/script.ts'
import { DaemonProcess } from '../test/support/daemon-process.ts'
import { eventually } from '../test/support/eventually.ts'
import { type FakeClaudeSetup, fakeClaude } from '../test/support/fake-claude.ts'
import { mainFile } from '../test/support/program.ts'
import { claudeBinary } from '../test/support/real-claude.ts'
import { createWorld, type World } from '../test/support/world.ts'
import type { Place } from './direct.ts'
import { HttpCaller } from './http-caller.ts'

export const answers: Script = () => ({ text: 'an answer' })

export interface Setting extends AsyncDisposable {
  readonly world: World
  readonly daemon: DaemonProcess
  readonly caller: HttpCaller
  /** The real CLI that Iris runs. */
  readonly claude: string
}

/** A daemon in a process of its own with the real CLI, or the bare fake one, and a model that answers at once. */
export async function setting(
  options: { fake?: boolean; maxProcesses?: number } = {},
): Promise<Setting & { fake: FakeClaudeSetup | undefined }> {
  const fake = options.fake === true ? fakeClaude({ bare: true }) : undefined
  const team = fake ? { claudePath: fake.claudePath, env: fake.env } : {}
  const world = await createWorld({
    script: answers,
    teams: { frontend: team, backend: team, mobile: team, web: team },
    settings: { maxProcesses: options.maxProcesses ?? 10 },
  })
  const daemon = await DaemonProcess.start(world)
  // It is there once a dead predecessor's processes would have gone.
  await eventually(() => existsSync(join(world.home, 'daemon.sock')), 'the socket in the home')
  const caller = new HttpCaller(daemon)
  return {
    world,
    daemon,
    caller,
    fake,
    claude: fake?.claudePath ?? claudeBinary('2.1.330'),
    async [Symbol.asyncDispose]() {
      caller.close()
      await daemon[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
      fake?.[Symbol.dispose]()
    },
  }
}

/**
 * A home and a project for the Claude Code beside it, which Iris does not look into: one in a team's project would be a person's, and
 * Iris reads at each of its turns what it does.
 */
export function apartFrom({ root, env }: Pick<World, 'root' | 'env'>): Pick<Place, 'cwd' | 'env'> {
  const home = join(root, 'apart')
  const cwd = join(home, 'project')
  mkdirSync(cwd, { recursive: true })
  return { cwd, env: { ...env, HOME: home } }
}

/** `iris mcp`, as a person's Claude Code starts it. */
export function startBridge({ env, home }: World, more: Readonly<Record<string, string>> = {}): Promise<StdioClient> {
  const args = [mainFile, 'mcp']
  return StdioClient.start({ command: process.execPath, args, cwd: '/', env: { ...env, IRIS_HOME: home, ...more } })
}

/** A turn through it, in the conversation of the pair or in another one of it. */
export async function sendThrough(bridge: StdioClient, toTeam: string, thread?: string): Promise<void> {
  const { status } = await bridge.call('send_message', { toTeam, message: 'hello', timeout: 0, thread })
  if (status !== 'completed') throw new Error(`a turn of the bench ended as ${status}`)
}
