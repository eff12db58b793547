import { isRequest, type JsonRpcMessage, metaOf } from './json-rpc.ts'

const protocolVersionMeta = 'io.modelcontextprotocol/protocolVersion'

/** The parameter that `Mcp-Name` repeats, by method. */
const nameParameters: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

/**
 * The headers that MCP 2026-07-28 requires on every request. They repeat parts of the body, and the server refuses a
 * request without them. Older revisions require no such headers; their messages name no revision.
 */
export function standardHeaders(message: JsonRpcMessage): Record<string, string> {
  const version = metaOf(message)[protocolVersionMeta]
  if (typeof version !== 'string' || !isRequest(message)) return {}
  const parameter = Object.hasOwn(nameParameters, message.method) ? nameParameters[message.method] : undefined
  const name = parameter === undefined ? undefined : message.params?.[parameter]
  return {
    'mcp-protocol-version': version,
    'mcp-method': message.method,
    ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
  }
}

/** The text itself if a header can contain it. Otherwise its base64 form, as MCP defines it. */
function headerValue(text: string): string {
  const holdable = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text)
  if (holdable) return text
  const bytes = new TextEncoder().encode(text)
  return `=?base64?${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}?=`
}
