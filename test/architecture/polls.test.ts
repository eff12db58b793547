import { expect, test } from 'vitest'
import known from './polls.json' with { type: 'json' }
import { pollsOfDaemon } from './polls.ts'
import { readSpecs } from './source-file.ts'

test('no test polls the daemon more often than polls.json says, which may only shrink', () => {
  expect(pollsOfDaemon(readSpecs())).toEqual(known)
})

const file = (text: string) => [{ path: 'test/spec/a.test.ts', text }]

test.each([
  "await eventually(async () => (await callTool(iris, 'get_health')).isReady, 'it is ready')",
  "await eventually(() => iris.rows('SELECT 1').length > 0, 'there is one')",
  "const isOpen = () => iris.daemon.isOpen\nawait eventually(isOpen, 'it is open')",
  'await expect.poll(() => stage.clock.pending(50)).toBe(1)',
])('counted: %s', (text) => {
  expect(pollsOfDaemon(file(text))).toEqual({ 'test/spec/a.test.ts': 1 })
})

test.each(["await eventually(() => existsSync(path), 'there is a file')", 'await stage.rest()'])(
  'not counted: %s',
  (text) => {
    expect(pollsOfDaemon(file(text))).toEqual({})
  },
)
