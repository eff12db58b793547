import type { JSONRPCMessage, ServerContext } from '@modelcontextprotocol/server'
import { MessageServer } from '../../adapters/mcp/message-server.ts'
import { createMcpServer } from '../../adapters/mcp/server.ts'
import type { Log } from '../../base/lib/log.ts'
import { isChat } from '../../features/channels/chat-message.ts'
import { agentAuth } from '../../kernel/call/agent-auth.ts'
import type { AuthContext } from '../../kernel/call/call.ts'
import type { PipeServer } from '../../kernel/call/control-handler.ts'
import type { Operations } from '../../kernel/call/operations.ts'
import type { Session } from '../../kernel/session/session.ts'
import type { Config } from '../../platform/config/config.ts'

/** Iris's tools for the process of a session, over its own pipe. */
export function servePipe(
  session: Session,
  operations: Operations,
  { config, log }: { readonly config: () => Config; readonly log: Log },
): PipeServer {
  const authOf = ({ mcpReq }: ServerContext): AuthContext => agentAuth(session, String(mcpReq.id), config())
  const { limitedTo } = agentAuth(session, '', config()).principal
  // Progress is left out: calls over the pipe have no time limit that it would extend.
  const server = new MessageServer(
    createMcpServer({
      operations,
      log: log.for(`process:${session.to}`),
      kind: 'agent',
      authOf,
      isLimited: limitedTo !== undefined,
      isInChat: isChat(session.from),
    }),
  )
  return { receive: (message, signal) => server.receive(message as JSONRPCMessage, signal) }
}
