import { Server, type ServerContext } from '@modelcontextprotocol/server'
import type { Log } from '../../base/lib/log.ts'
import { nearest } from '../../base/lib/nearest.ts'
import { consoleMeta, idempotencyMeta, wholeMeta } from '../../base/protocol/daemon.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { replacedTool } from '../../base/protocol/former-names.ts'
import { irisVersion } from '../../base/protocol/version.ts'
import { isOperation } from '../../features/contracts.ts'
import type { AuthContext, Call } from '../../kernel/call/call.ts'
import type { Operations } from '../../kernel/call/operations.ts'
import { isRestricted } from '../../kernel/call/policy.ts'
import { type Principal, rolesOf } from '../../kernel/call/principal.ts'
import { getPrompt, prompts } from './prompts.ts'
import { toErrorReply, toReply, toTextReply } from './reply.ts'
import { isForClaudeCode, toolsFor } from './tools.ts'

const instructions =
  'Iris connects projects that each have their own Claude Code. list_teams names the projects that can be asked; send_message asks one and returns its answer; message_status collects the answer of an earlier message.'

export interface ServerParts {
  readonly operations: Operations
  readonly log: Log
  readonly kind: Principal['kind']
  /**
   * Whether this serves `/mcp/:sessionId`, in addition to the process's pipe. Only there is the permission tool listed.
   */
  readonly isSessionEndpoint?: boolean
  /** Whether the agent answers with a role that has fewer rights than its team. */
  readonly isLimited?: boolean
  /** Whether a chat asks the agent. */
  readonly isInChat?: boolean
  /** The caller of this request. */
  readonly authOf: (context: ServerContext) => AuthContext
}

/** Iris as an MCP server for one kind of caller. It only translates, and decides nothing. Agents get no prompts. */
export function createMcpServer(parts: ServerParts): Server {
  const offersPrompts = !isRestricted({ roles: rolesOf[parts.kind] })
  const server = new Server(
    { name: 'iris', title: 'Iris', version: irisVersion },
    // Claude Code 2.1.330 gives its model a server's instructions even when it hides the server's tools.
    {
      capabilities: { tools: {}, ...(offersPrompts && { prompts: {} }) },
      ...(!parts.isSessionEndpoint && { instructions }),
    },
  )
  server.setRequestHandler('tools/list', () => ({
    tools: [...toolsFor(parts.kind, parts)],
  }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    try {
      if (!isOperation(params.name)) throw noTool(params.name, toolsFor(parts.kind, parts))
      const call = callOf(parts, context)
      const result = await parts.operations.call(params.name, params.arguments, call)
      const traceparent = parts.operations.traceparentOf(result)
      const reply = isForClaudeCode(params.name) ? toTextReply(result) : toReply(params.name, result, call.isWhole)
      return traceparent === undefined ? reply : { ...reply, _meta: { traceparent } }
    } catch (error) {
      if (!(error instanceof IrisError)) parts.log.error(`tool ${params.name} failed: ${describe(error)}`)
      return toErrorReply(error)
    }
  })
  if (offersPrompts) {
    server.setRequestHandler('prompts/list', () => ({ prompts: [...prompts] }))
    server.setRequestHandler('prompts/get', ({ params }, context) =>
      getPrompt(params, callOf(parts, context), parts.operations, parts.log),
    )
  }
  return server
}

function noTool(name: string, tools: readonly { readonly name: string }[]): IrisError {
  const replaced = replacedTool(name)
  const meant = nearest(
    name,
    tools.map((tool) => tool.name),
  )
  const remedy =
    replaced !== undefined
      ? `It is called ${replaced} now.`
      : `${meant === undefined ? '' : `Did you mean ${meant}? `}See tools/list.`
  return new IrisError('invalid_input', `There is no tool "${name}".`, remedy)
}

function callOf(parts: ServerParts, context: ServerContext): Call {
  const meta = context.mcpReq._meta
  const token = meta?.progressToken
  const key = meta?.[idempotencyMeta]
  const auth = withToolUse(parts.authOf(context), meta)
  let progress = 0
  return {
    auth,
    console: consoleOf(auth, meta),
    isWhole: meta?.[wholeMeta] === true,
    signal: context.mcpReq.signal,
    idempotencyKey: typeof key === 'string' ? key : undefined,
    traceparent: typeof meta?.['traceparent'] === 'string' ? meta['traceparent'] : undefined,
    progress: ({ message }) => {
      if (token === undefined) return
      progress += 1
      const params = { progressToken: token, progress, message }
      // The client may have disconnected. Its turn continues.
      context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
    },
  }
}

const maxConsole = 100

/** The Claude Code session that a bridge names. An agent of Iris has none, because its answers go to its turn. */
function consoleOf({ principal }: AuthContext, meta: Readonly<Record<string, unknown>> = {}): string | undefined {
  const named = meta[consoleMeta]
  const isName = typeof named === 'string' && named !== '' && named.length <= maxConsole
  return isName && !isRestricted(principal) ? named : undefined
}

/** Adds the id of the tool use, which Claude Code sends with a call. The id does not identify the caller. */
function withToolUse(auth: AuthContext, meta: Readonly<Record<string, unknown>> = {}): AuthContext {
  const toolUseId = meta['claudecode/toolUseId']
  if (typeof toolUseId !== 'string' || auth.parent === undefined) return auth
  return { ...auth, parent: { ...auth.parent, toolUseId } }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
