import { expect, test } from 'vitest'
import type { JsonRpcMessage } from './json-rpc.ts'
import { standardHeaders } from './standard-headers.ts'

const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }

function request(method: string, params: object = {}): JsonRpcMessage {
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }
}

test('a request of the older revisions has none', () => {
  expect(standardHeaders({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_date' } })).toEqual({})
  expect(standardHeaders({ jsonrpc: '2.0', id: 1, method: 'ping' })).toEqual({})
})

test('a request of 2026-07-28 repeats its revision, its method and what it names', () => {
  const common = { 'mcp-protocol-version': '2026-07-28' }
  expect(standardHeaders(request('tools/list'))).toEqual({ ...common, 'mcp-method': 'tools/list' })
  expect(standardHeaders(request('tools/call', { name: 'get_date' }))).toEqual({
    ...common,
    'mcp-method': 'tools/call',
    'mcp-name': 'get_date',
  })
  expect(standardHeaders(request('resources/read', { uri: 'a://b' }))['mcp-name']).toBe('a://b')
  expect(standardHeaders(request('constructor', { name: 'x' }))).toEqual({ ...common, 'mcp-method': 'constructor' })
})

test.each([
  ['größe', '=?base64?Z3LDtsOfZQ==?='],
  [' edge', '=?base64?IGVkZ2U=?='],
  ['', '=?base64??='],
  ['=?base64?eA==?=', '=?base64?PT9iYXNlNjQ/ZUE9PT89?='],
])('a name that no header can hold is encoded: %j', (name, header) => {
  expect(standardHeaders(request('tools/call', { name }))['mcp-name']).toBe(header)
})

test('a notification has none', () => {
  expect(standardHeaders({ jsonrpc: '2.0', method: 'notifications/x', params: { _meta } })).toEqual({})
})
