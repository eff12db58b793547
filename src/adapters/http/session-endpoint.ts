import type { Socket } from 'node:net'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { IrisError } from '../../base/protocol/error.ts'
import type { AuthContext } from '../../kernel/call/call.ts'
import { actorOf } from '../../kernel/call/principal.ts'
import type { Refusals } from '../../kernel/call/refusals.ts'
import type { McpEndpoint } from '../mcp/http.ts'
import type { Peers } from './peers.ts'

interface Variables {
  auth: AuthContext
}

export interface SessionEndpointParts {
  /** The caller to whom a process's token belongs. `ended` if that process has ended. */
  readonly callerOf: (sessionId: string, token: string) => AuthContext | 'ended' | undefined
  /** Absent if the callers are on another machine. */
  readonly peers?: Peers
  readonly refusals: Refusals
  readonly mcp: McpEndpoint
}

/**
 * The route `/:sessionId`. Only the bearer token gives access to it. Without the token, a caller does not learn whether
 * the session exists.
 */
export function sessionEndpoint(
  parts: SessionEndpointParts,
  limited: MiddlewareHandler,
): Hono<{ Variables: Variables }> {
  const endpoint = new Hono<{ Variables: Variables }>()
  endpoint.use('/:sessionId', async (context, next) => {
    context.set('auth', await authOf(context, context.req.param('sessionId'), parts))
    await next()
  })
  endpoint.all('/:sessionId', limited, (context) => parts.mcp(context.req.raw, context.get('auth')))
  return endpoint
}

async function authOf(context: Context, sessionId: string, { callerOf, peers, refusals }: SessionEndpointParts) {
  const [scheme, token = ''] = (context.req.header('authorization') ?? '').split(' ', 2)
  const found = scheme?.toLowerCase() === 'bearer' ? callerOf(sessionId, token) : undefined
  const refusalRecord = { action: 'credential.refused', subject: `${context.req.method} /mcp/:sessionId` }
  if (found === undefined) {
    refusals.record({ actor: 'unknown', ...refusalRecord })
    throw notTheirs()
  }
  if (found === 'ended') throw ended()
  const other = await otherAgent(context, found, peers)
  if (other !== undefined) {
    refusals.record({
      actor: actorOf(other.auth().principal),
      ...refusalRecord,
      detail: { credential: actorOf(found.principal) },
    })
    throw notTheirs()
  }
  return found
}

/**
 * The agent that sends the request, if the token is another agent's. An agent that has found a token must not act as
 * the agent to which the token belongs.
 */
async function otherAgent(context: Context, found: AuthContext, peers: Peers | undefined) {
  const socket: Socket | undefined = context.env?.incoming?.socket
  const peer = socket && (await peers?.of(socket))
  return peer?.kind === 'agent' && peer.startId !== found.endpoint?.startId ? peer : undefined
}

function notTheirs(): IrisError {
  return new IrisError(
    'unauthorized',
    'This needs the token of the process that works in this session.',
    'Use /mcp with the token that "iris token" prints, or the bridge "iris mcp".',
  )
}

function ended(): IrisError {
  return new IrisError(
    'unknown_session',
    // MCP clients recognize the first words.
    'Session not found: the process that had this token has ended.',
    "Use the token of the session's next process; it is in that process's MCP file.",
  )
}
