/**
 * The names of OpenTelemetry's semantic conventions that Iris uses: agents and tools of generative AI, MCP, errors,
 * services. What the conventions do not name begins with `iris.`.
 */
export const names = {
  service: 'service.name',
  serviceVersion: 'service.version',
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  agent: 'gen_ai.agent.name',
  model: 'gen_ai.request.model',
  conversation: 'gen_ai.conversation.id',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  tool: 'gen_ai.tool.name',
  toolCall: 'gen_ai.tool.call.id',
  mcpMethod: 'mcp.method.name',
  error: 'error.type',
  turn: 'iris.turn.id',
  asker: 'iris.asker',
  thread: 'iris.thread',
  outcome: 'iris.outcome',
  cost: 'iris.cost_usd',
  decision: 'iris.permission.decision',
} as const

export const operations = { agent: 'invoke_agent', tool: 'execute_tool' } as const
/** Values of `SpanKind` and `Status.code` in OTLP. */
export const spanKinds = { internal: 1, client: 3 } as const
export const statusCodes = { error: 2 } as const
