import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { difference } from './cli.ts'
import { initialize, pipeHost } from './pipe-host.ts'
import type { Scene } from './scene.ts'

/** How an MCP server on stdio, such as `iris mcp`, is started. */
export const bridging: Scene = {
  clauses: ['bridge.project'],
  script: () => ({ text: 'ok' }),
  async play({ world, check, start, appears }) {
    const [seen, config] = [join(world.home, 'seen'), join(world.home, 'mcp.json')]
    // The server writes its directory and CLAUDE_PROJECT_DIR, and then never answers.
    const script = `printf '%s\\n' "$PWD" "$CLAUDE_PROJECT_DIR" > "${seen}.new"; mv "${seen}.new" "${seen}"; exec cat > "${seen}.rest"`
    const server = { command: '/bin/sh', args: ['-c', script] }
    writeFileSync(config, JSON.stringify({ mcpServers: { probe: server } }))
    const cli = start({ answer: pipeHost().answer, sessionMcp: config })
    await cli.request(initialize)
    await check('bridge.project', async () => {
      cli.say('hello')
      await appears(() => existsSync(seen), 'start of the server')
      const [cwd, project] = readFileSync(seen, 'utf8').split('\n')
      return difference({ cwd, CLAUDE_PROJECT_DIR: project }, { cwd: world.project, CLAUDE_PROJECT_DIR: world.project })
    })
  },
}
