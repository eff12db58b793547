import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { World } from '../test/support/world.ts'
import type { Place } from './direct.ts'

export interface Floor {
  readonly turn: () => Promise<string>
  readonly end: () => Promise<void>
}

/**
 * The least a durable switchboard in a process of its own can cost on this machine: one bare HTTP request, a durable
 * commit before the turn and one after it, the same CLI. No MCP, no sessions, no limits, nothing checked.
 */
export async function startFloor(world: World, place: Place): Promise<Floor> {
  const program = fileURLToPath(new URL('floor-process.ts', import.meta.url))
  const args = [JSON.stringify(place), world.home]
  const child = fork(program, args, { env: world.env, execArgv: [] })
  const [port] = (await once(child, 'message')) as [number]
  const agent = new Agent({ keepAlive: true })
  return {
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
