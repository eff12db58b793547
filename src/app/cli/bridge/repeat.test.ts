import { expect, test } from 'vitest'
import type { JsonRpcRequest } from '../../../adapters/client/json-rpc.ts'
import { repeatable, repetition } from './repeat.ts'

function call(args: object, meta?: object): JsonRpcRequest {
  const params = { name: 'send_message', arguments: args, ...(meta && { _meta: meta }) }
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
}

test('a call gets a key beside what its client wrote, other requests stay as they are', () => {
  const { params } = repeatable(call({ toTeam: 'backend' }, { progressToken: 7 }), () => 'key')
  expect(params).toEqual({
    name: 'send_message',
    arguments: { toTeam: 'backend' },
    _meta: { progressToken: 7, 'iris/idempotencyKey': 'key' },
  })
  const list: JsonRpcRequest = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  expect(repeatable(list, () => 'key')).toBe(list)
})

test('a key that the client chose is kept', () => {
  const given = call({}, { 'iris/idempotencyKey': 'mine' })
  expect(repeatable(given, () => 'key')).toEqual(given)
})

test('a call that its client repeats is the same one, by the tool use of its model', () => {
  const used = call({}, { 'claudecode/toolUseId': 'toolu_1' })
  const [first, again] = [repeatable(used, () => 'one'), repeatable(used, () => 'two')]
  expect(first).toEqual(again)
  expect(repeatable(call({}, { 'claudecode/toolUseId': 'toolu_2' }), () => 'one')).not.toEqual(first)
})

test.each([
  [10_000, 4000, 6000],
  [10_000, 60_000, 1],
  [0, 4000, 0],
  [-1, 4000, -1],
])('of a wait of %d ms, %d ms later %d are left', (timeout, elapsed, rest) => {
  expect(repetition(call({ message: 'x', timeout }), elapsed)).toEqual(call({ message: 'x', timeout: rest }))
})

test('a call that does not say how long it waits, and any other request, is repeated as it is', () => {
  const plain = call({ message: 'x' })
  expect(repetition(plain, 4000)).toBe(plain)
  const other: JsonRpcRequest = { jsonrpc: '2.0', id: 1, method: 'x/y', params: { arguments: { timeout: 5 } } }
  expect(repetition(other, 4000)).toBe(other)
})
