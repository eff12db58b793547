import { hooksAndTools, ranCallback } from '../../claude/driver/control-channel.ts'
import type { Line } from './cli.ts'

/** The other end of the pipe: answers hooks, permission questions and MCP messages. */
export interface PipeHost {
  /** Control requests of the CLI, oldest first, without the reports that a tool has run. */
  readonly asked: Line[]
  /** The hook's input for each tool that has run, oldest first. */
  readonly ran: Line[]
  hook: (request: Line) => unknown
  permission: (request: Line) => unknown
  /** Result of `tools/call`; undefined leaves the call open. */
  call: (params: Line) => unknown
  readonly tools: readonly object[]
  readonly answer: (request: Line) => unknown
}

/** Iris's first request: the CLI then asks this host before every tool and offers the host's tools to the model. */
export const initialize = { subtype: 'initialize', ...hooksAndTools }

export const echoTool = {
  name: 'echo',
  description: 'Says it again',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  _meta: { 'anthropic/alwaysLoad': true },
}

/** Allows everything and offers one tool, unless the caller changes that. */
export function pipeHost(tools: readonly object[] = [echoTool]): PipeHost {
  const host: PipeHost = {
    asked: [],
    ran: [],
    tools,
    hook: () => ({ continue: true }),
    permission: (request) => ({ behavior: 'allow', updatedInput: request.input }),
    call: () => ({ content: [{ type: 'text', text: 'echoed' }] }),
    answer: (request) => {
      if (String(request.callback_id) === ranCallback) {
        host.ran.push(request.input ?? {})
        return { continue: true }
      }
      host.asked.push(request)
      switch (String(request.subtype)) {
        case 'hook_callback':
          return host.hook(request)
        case 'can_use_tool':
          return host.permission(request)
        default:
          return mcpAnswer(host, request.message ?? {})
      }
    },
  }
  return host
}

function mcpAnswer(host: PipeHost, message: Line): unknown {
  const result = mcpResult(host, message)
  // A notification is a control request too and needs an answer, whose content is not read.
  return result === undefined ? undefined : { mcp_response: { jsonrpc: '2.0', id: message.id ?? 0, result } }
}

/** Undefined leaves the message open. */
export function mcpResult(host: PipeHost, { method, params }: Line): unknown {
  switch (String(method)) {
    case 'initialize': {
      const serverInfo = { name: 'iris', version: '1' }
      return { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo }
    }
    case 'tools/list':
      return { tools: host.tools }
    case 'tools/call':
      return host.call(params ?? {})
    default:
      return {}
  }
}
