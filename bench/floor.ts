import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { nodeOptions } from '../src/app/cli/spawn-daemon.ts'
import type { FakeClaudeSetup } from '../test/support/fake-claude.ts'
import type { World } from '../test/support/world.ts'
import type { Place } from './direct.ts'

/** What a daemon without work has loaded. */
const libraries = ['zod', '@modelcontextprotocol/server', 'yaml', 'rxjs', 'hono', '@hono/node-server', 'pino', 'ws']

interface Floor {
  readonly pid: number
  readonly turn: () => Promise<string>
  /** The same through a program that copies its stdin to a socket: the least that `iris mcp` can be. */
  readonly turnThroughBridge: () => Promise<string>
  /** Begins a new conversation. */
  readonly renew: () => Promise<void>
  readonly end: () => Promise<void>
}

/**
 * The least a durable switchboard in a process of its own can cost on this machine: one bare HTTP request or a line through a
 * bridge, a durable commit before the turn and one after it, the same CLI. No MCP, no sessions, no limits, nothing checked.
 */
async function startFloor(world: World, place: Place): Promise<Floor> {
  const args = [JSON.stringify(place), world.home]
  const { child, turn, end } = await startProgram(new URL('floor-process.ts', import.meta.url), args, world.env, [])
  const bridge = spawn(
    process.execPath,
    [fileURLToPath(new URL('floor-bridge.ts', import.meta.url)), join(world.home, 'floor.sock')],
    { env: world.env, stdio: ['pipe', 'pipe', 'ignore'] },
  )
  const answers = createInterface(bridge.stdout)
  return {
    pid: child.pid!,
    turn,
    turnThroughBridge: async () => {
      const answered = once(answers, 'line')
      bridge.stdin.write('hello\n')
      const [answer] = await answered
      return answer
    },
    renew: async () => {
      child.send('renew')
      await once(child, 'message')
    },
    end: async () => {
      bridge.kill()
      await end()
    },
  }
}

/** Beside such a switchboard that has had no turn. */
export async function besideNewFloor<T>(
  world: World,
  place: Place,
  measured: (floor: Floor) => Promise<T>,
): Promise<T> {
  const floor = await startFloor(world, place)
  const result = await measured(floor)
  await floor.end()
  return result
}

/** The least memory of such a switchboard: Iris's flags of V8 and, on demand, its libraries, with none of its code. */
export async function startMemoryFloor(
  world: World,
  fake: FakeClaudeSetup,
  withLibraries: boolean,
): Promise<Omit<Floor, 'turnThroughBridge' | 'renew'>> {
  const env = { ...world.env, ...fake.env }
  const args = [fake.claudePath, JSON.stringify(env), world.directory('web'), withLibraries ? libraries.join() : '']
  const { child, turn, end } = await startProgram(
    new URL('memory-floor.ts', import.meta.url),
    args,
    world.env,
    nodeOptions,
  )
  return { pid: child.pid!, turn, end }
}

interface Program {
  readonly child: ChildProcess
  readonly turn: () => Promise<string>
  readonly end: () => Promise<void>
}

async function startProgram(
  program: URL,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  execArgv: readonly string[],
): Promise<Program> {
  const child = fork(fileURLToPath(program), args, { env, execArgv: [...execArgv] })
  const [port] = (await once(child, 'message')) as [number]
  const agent = new Agent({ keepAlive: true })
  return {
    child,
    turn: async () => {
      const outgoing = request({ host: '127.0.0.1', port, method: 'POST', agent })
      outgoing.end('hello')
      const [response] = await once(outgoing, 'response')
      let answer = ''
      for await (const chunk of response) answer += chunk
      return answer
    },
    end: async () => {
      agent.destroy()
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
