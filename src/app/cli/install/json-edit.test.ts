import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withoutEmptyServers, withoutServer, withServer } from './json-edit.ts'

const entry = { type: 'stdio', command: '/x/iris', args: ['mcp'], env: {} }

test('the server stands after the others, in the indentation of the file, and nothing else has changed', () => {
  const text = '{\n\t"x": 1.0,\n\t"mcpServers": {\n\t\t"a": {"command": "y", "args": [ 1,2 ]}\n\t}\n}\n'
  const edited = withServer(text, 'iris', { command: 'i' })
  expect(edited.text).toBe(
    '{\n\t"x": 1.0,\n\t"mcpServers": {\n\t\t"a": {"command": "y", "args": [ 1,2 ]},\n\t\t"iris": {\n\t\t\t"command": "i"\n\t\t}\n\t}\n}\n',
  )
})

test.each([
  ['{}', '{\n  "mcpServers": {\n    "iris": 1\n  }\n}'],
  ['{\r\n    "a": 1\r\n}', '{\r\n    "a": 1,\r\n    "mcpServers": {\r\n        "iris": 1\r\n    }\r\n}'],
  ['{"a":{"mcpServers":{}}}', '{"a":{"mcpServers":{}}, "mcpServers": {"iris":1}}'],
  ['{\n  "mcpServers": {}\n}\n', '{\n  "mcpServers": {\n    "iris": 1\n  }\n}\n'],
  ['{\n  "mcpServers": {\n  }\n}', '{\n  "mcpServers": {\n    "iris": 1\n  }\n}'],
  ['{\n  "a": "\\"}{", "mcpServers": {"b,": 2}\n}', '{\n  "a": "\\"}{", "mcpServers": {"b,": 2,\n    "iris": 1}\n}'],
  ['{"mcpServers":{"iris":{"url":"u"},"b":2}}', '{"mcpServers":{"iris": 1,"b":2}}'],
])('%j becomes %j, and back', (before, after) => {
  const { text, ...edit } = withServer(before, 'iris', 1)
  expect(text).toBe(after)
  expect(withoutServer(text, 'iris', edit, 'mcpServers' in JSON.parse(before))).toBe(before)
})

test('whatever stands in a file, in whatever form, is there byte by byte when the server has come and gone', () => {
  // No backslash: JSON.parse of Node 24.21 takes a key '"' for '\\' once it has read that one in the same place.
  const key = fc.oneof(fc.string(), fc.constantFrom('mcpServers', 'iris', '{', '"')).filter((each) => !/\\/.test(each))
  const value = fc.jsonValue().filter((each) => !JSON.stringify(each).includes('\\\\'))
  const servers = fc.dictionary(key, value)
  const file = fc.tuple(fc.dictionary(key, value), fc.option(servers), fc.constantFrom('', 1, 2, 4, '\t'))
  fc.assert(
    fc.property(file, fc.constantFrom('', '\n'), ([others, known, indent], end) => {
      const { mcpServers: _, ...rest } = others
      const before = JSON.stringify(known === null ? rest : { ...rest, mcpServers: known }, null, indent) + end
      const root = JSON.parse(before)
      const { text, ...edit } = withServer(before, 'iris', entry)
      expect(JSON.parse(text)).toEqual({ ...root, mcpServers: { ...root.mcpServers, iris: entry } })
      expect(withoutServer(text, 'iris', edit, known !== null)).toBe(before)
    }),
  )
})

test('what was written there since stays when the server goes', () => {
  const { text, ...edit } = withServer('{\n  "mcpServers": {}\n}\n', 'iris', entry)
  const since = text.replace('"iris"', '"new": 1,\n    "iris"').replace('"env": {}', '"env": {  }')
  expect(withoutServer(since, 'iris', edit, true)).toBe('{\n  "mcpServers": {\n    "new": 1\n  }\n}\n')
  const own = withServer('{}', 'iris', entry)
  const reformatted = JSON.stringify(JSON.parse(own.text))
  expect(withoutServer(reformatted, 'iris', own, false)).toBe('{}')
})

test.each([
  ['{\n  "a": {"mcpServers": {}},\n  "mcpServers": {}\n}', '{\n  "a": {"mcpServers": {}}\n}'],
  ['{\n  "mcpServers": {},\n  "b": 1\n}', '{\n  "b": 1\n}'],
  ['{"mcpServers":{}}', '{}'],
  ['{"mcpServers":{"a":1}}', '{"mcpServers":{"a":1}}'],
  ['{"a":1,"mcpServers":3}', '{"a":1,"mcpServers":3}'],
  ['{"a":{"mcpServers":{}}}', '{"a":{"mcpServers":{}}}'],
])('of %j without its own empty list %j is left', (text, left) => {
  expect(withoutEmptyServers(text)).toBe(left)
})
