import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Log } from '../lib/log.ts'
import type { Caller, Domain } from '../operations/call.ts'
import { createMcpServer } from './server.ts'

/** A JSON string needs up to six bytes for one of a message's; the rest of a request is small. */
const overheadBytes = 64 * 1024

/**
 * `/mcp` over streamable HTTP, for both protocol eras: 2025-11-25 with `initialize`, 2026-07-28 with `server/discover`.
 * Each request has a server of its own and nothing is kept between them, so a restart of the daemon costs a client
 * nothing. The stream opens at once: Claude Code gives up after 60 s without a first byte.
 */
export function createMcpEndpoint(domain: Domain, log: Log): (request: Request, caller: Caller) => Promise<Response> {
  const handler = createMcpHandler(
    ({ authInfo, requestInfo }) => {
      const caller = authInfo?.extra?.['caller'] as Caller
      return createMcpServer({ domain, log, kind: caller.kind, callerOf: () => caller, gone: requestInfo?.signal })
    },
    {
      responseMode: 'sse',
      maxRequestBodySize: domain.config().settings.maxMessageBytes * 2 + overheadBytes,
      onerror: (error) => log.debug(`mcp: ${error.message}`),
    },
  )
  return (request, caller) =>
    handler.fetch(request, { authInfo: { token: '', clientId: caller.kind, scopes: [], extra: { caller } } })
}
