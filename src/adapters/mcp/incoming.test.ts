import { expect, test } from 'vitest'
import { incoming } from './incoming.ts'

const request = (method: string, params?: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  ...(params !== undefined && { params }),
})
const whole = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }

test.each<[string, unknown, string]>([
  ['initialize', undefined, '"initialize" needs params with a protocolVersion, such as "2025-11-25".'],
  [
    'initialize',
    { ...whole, protocolVersion: 5 },
    '"initialize" needs params with a protocolVersion, such as "2025-11-25".',
  ],
  ['initialize', { ...whole, capabilities: null }, '"initialize" needs params with capabilities; {} is enough.'],
  [
    'initialize',
    { ...whole, clientInfo: { name: 'x' } },
    '"initialize" needs params with a clientInfo that has a name and a version.',
  ],
  ['tools/call', undefined, '"tools/call" needs params with a name.'],
  ['tools/call', { name: 'get_date', arguments: [] }, 'The arguments are not an object.'],
  ['prompts/get', {}, '"prompts/get" needs params with a name.'],
  [
    'prompts/get',
    { name: 'x', arguments: { team: 5 } },
    'The argument "team" is not text; a prompt\'s arguments must be text.',
  ],
])('%s with %j is refused with a sentence', (method, params, problem) => {
  expect(incoming(request(method, params)).problem).toBe(problem)
})

test('what is whole stays as it is', () => {
  for (const [method, params] of [
    ['initialize', whole],
    ['tools/list', undefined],
    ['tools/call', { name: 'x', arguments: { a: null } }],
  ] as const)
    expect(incoming(request(method, params))).toEqual({ message: request(method, params), problem: undefined })
  const notification = { jsonrpc: '2.0', method: 'initialize' }
  expect(incoming(notification)).toEqual({ message: notification, problem: undefined })
})

test('null stands for arguments that are not given', () => {
  expect(incoming(request('tools/call', { name: 'x', arguments: null })).message).toEqual(
    request('tools/call', { name: 'x' }),
  )
  expect(
    incoming(request('prompts/get', { name: 'x', arguments: { team: null, includeGitDiff: 'true' } })).message,
  ).toEqual(request('prompts/get', { name: 'x', arguments: { includeGitDiff: 'true' } }))
})
