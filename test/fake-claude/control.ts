import type { AgentFile } from './agent-files.ts'
import { McpClient } from './mcp-client.ts'
import type { Hook, Session } from './session.ts'

export interface ControlRequest {
  readonly subtype?: string
  readonly [field: string]: unknown
}

/** What a control request may do to the queue and the running turn. */
export interface Controlled {
  readonly session: Session
  /** Ends the running turn, if any. Returns the uuids of messages that still wait. */
  interrupt(): string[]
  /** True when the message waited and is gone. */
  cancelMessage(uuid: string): boolean
}

type Answer = Record<string, unknown>

/** Answers, or throws what the error answer says. Undefined: never answers. */
export function answerControl(request: ControlRequest, fake: Controlled): Answer | undefined {
  const answer = answers[request.subtype ?? '']
  if (answer === undefined) throw new Error(`Unsupported control request subtype: ${request.subtype}`)
  return answer(request, fake)
}

const answers: Readonly<Record<string, (request: ControlRequest, fake: Controlled) => Answer | undefined>> = {
  initialize: (request, { session }) => initialize(request, session),
  interrupt: (_, fake) => ({ still_queued: fake.interrupt() }),
  cancel_async_message: ({ message_uuid }, fake) =>
    fake.cancelMessage(String(message_uuid)) ? { cancelled: true, message_uuid } : { cancelled: false },
  apply_flag_settings: ({ settings }, { session }) => {
    session.handedOver += 1
    if (session.handedOver > (session.script.takesSettings ?? Number.POSITIVE_INFINITY)) throw new Error('not today')
    const { permissions } = settings as { readonly permissions?: { readonly allow?: readonly string[] } }
    if (permissions) session.handed = permissions.allow ?? []
    return {}
  },
  stop_task: ({ task_id }, { session }) => {
    session.backgroundTasks.get(String(task_id))?.stop('killed')
    return {}
  },
  set_permission_mode: ({ mode }, { session }) => {
    session.permissionMode = String(mode)
    return { mode }
  },
  set_model: ({ model }, { session }) => {
    session.model = typeof model === 'string' ? model : session.defaultModel
    return { model: session.model }
  },
  get_context_usage: (_, { session }) => ({
    categories: [],
    totalTokens: session.meter.contextTokens,
    maxTokens: session.contextWindow,
    rawMaxTokens: session.contextWindow,
    percentage: Math.round((100 * session.meter.contextTokens) / session.contextWindow),
    model: session.model,
    isAutoCompactEnabled: true,
  }),
  get_settings: () => ({ effective: {}, sources: [] }),
  mcp_status: (_, { session }) => ({
    mcpServers: [
      ...Object.entries(session.commandLine.mcpServers).map(([name, config]) => ({
        name,
        status: 'connected',
        config,
      })),
      ...[...session.servers.values()].map(statusOf),
    ],
  }),
}

/** The first request of each MCP handshake leaves before the answer, the rest follows it. */
function initialize(request: ControlRequest, session: Session): Answer | undefined {
  if (session.script.neverInitialize === true) return undefined
  if (session.script.initializeError !== undefined) throw new Error(session.script.initializeError)
  const hooks = (request['hooks'] ?? {}) as { PreToolUse?: readonly Hook[] }
  session.hooks = hooks.PreToolUse ?? []
  for (const name of (request['sdkMcpServers'] ?? []) as readonly string[]) {
    session.servers.set(name, new McpClient(name, session.host))
  }
  session.ready = Promise.allSettled([...session.servers.values()].map((server) => server.connect()))
  return {
    commands: [{ name: 'compact', description: 'Compact the conversation', argumentHint: '' }],
    agents: [generalPurpose, ...session.world.agents().map(asListed)],
    output_style: 'default',
    available_output_styles: ['default'],
    models: [],
    account: { tokenSource: 'none', apiKeySource: 'none' },
    pid: session.world.pid,
    claude_code_version: '9.9.9',
    current_permission_mode: session.permissionMode,
    hooks_applied: true,
    session_state: 'idle',
    capabilities: [],
  }
}

const generalPurpose = { name: 'general-purpose', description: 'Any task' }

function asListed({ name, description, model }: AgentFile): Answer {
  return { name, description, ...(model && { model }) }
}

function statusOf({ name, serverInfo, tools }: McpClient): Answer {
  const listed = tools.map((tool) => ({ name: tool.name, annotations: {} }))
  return { name, status: 'connected', serverInfo, transport: 'sdk', scope: 'dynamic', source: 'sdk', tools: listed }
}
