import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promptTool, sessionServer } from '../../claude/driver/command-line.ts'
import { script } from './asking.ts'
import { difference, type Line } from './cli.ts'
import { httpHost } from './http-host.ts'
import { initialize, pipeHost } from './pipe-host.ts'
import type { Scene } from './scene.ts'

/** Permission questions of a process that has a session MCP configuration. */
export const askingOverHttp: Scene = {
  clauses: ['permission.http', 'control.servers'],
  script,
  async play({ world, check, start }) {
    const name = promptTool.slice(`mcp__${sessionServer}__`.length)
    const endpoint = pipeHost([{ name, description: 'May it run?', inputSchema: { type: 'object' } }])
    endpoint.call = ({ arguments: asked }) => {
      const answer = { behavior: 'allow', updatedInput: asked?.['input'] }
      return { content: [{ type: 'text', text: JSON.stringify(answer) }] }
    }
    await using http = await httpHost(endpoint)
    const sessionMcp = join(world.home, 'session.json')
    writeFileSync(sessionMcp, JSON.stringify({ mcpServers: { [sessionServer]: http.server } }))
    const pipe = pipeHost()
    const cli = start({ answer: pipe.answer, sessionMcp })
    await cli.request(initialize)
    await check('permission.http', async () => {
      const path = join(world.project, 'allowed')
      await cli.turn(path)
      const [asked] = http.calls
      if (asked === undefined) return existsSync(path) ? 'it asked nobody and ran the tool' : 'it asked nobody'
      const input = { command: `touch ${path}` }
      const started = pipe.asked.find(({ subtype }) => String(subtype) === 'hook_callback')
      const question = { tool_name: 'Bash', input, tool_use_id: String(started?.['input']?.['tool_use_id']) }
      return (
        difference(asked, { name, arguments: question }) ??
        (existsSync(path) ? undefined : 'it did not run what was allowed')
      )
    })
    await check('control.servers', async () => {
      const { mcpServers } = (await cli.request({ subtype: 'mcp_status' })) as { mcpServers?: Line }
      const named = Array.isArray(mcpServers) ? mcpServers.filter(({ name: each }) => each === sessionServer) : []
      return difference(named, [
        { status: 'connected', config: { url: http.server.url, headers: http.server.headers } },
      ])
    })
  },
}
