import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Endpoint } from './call-tool.ts'
import type { World } from './world.ts'

const SessionMcp = z.object({
  mcpServers: z.object({
    'iris-session': z.object({
      type: z.literal('http'),
      url: z.url(),
      headers: z.strictObject({ Authorization: z.string().regex(/^Bearer [\w-]{43}$/) }),
    }),
  }),
})

/** Where the session MCP configurations of a team stand when config.yaml does not say. */
export function sessionMcpDirectory(world: World, team: string): string {
  return join(world.directory(team), '.claude/iris/mcp')
}

export function sessionMcpFiles(world: World, team: string): string[] {
  const directory = sessionMcpDirectory(world, team)
  return existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.json')) : []
}

/** The endpoint of a session, as whoever has the file finds it. */
export function sessionEndpointIn(file: string): Endpoint & { readonly path: string } {
  const { url, headers } = SessionMcp.parse(JSON.parse(readFileSync(file, 'utf8'))).mcpServers['iris-session']
  const { port, pathname } = new URL(url)
  return { port: Number(port), path: pathname, token: headers.Authorization.slice('Bearer '.length) }
}
