import { expect, test } from 'vitest'
import { keyOf } from '../gate/plan.ts'
import { allTestFiles } from '../gate/test-files.ts'
import { fastTests, readTestedFiles } from './fast.ts'
import { slowTests } from './slow.ts'
import { thoroughTests } from './thorough.ts'

const files = readTestedFiles()
const fast = new Set(fastTests(files))

test('four in five tests that stand beside the code are in the fast tier', () => {
  const beside = files.map(({ path }) => path).filter((path) => /^(src|dashboard)\/.*\.test\.ts$/.test(path))
  expect(beside.length).toBeGreaterThan(50)
  expect(beside.filter((path) => fast.has(path)).length / beside.length).toBeGreaterThanOrEqual(0.8)
})

test('the simulation, the fake CLI in memory and the architecture are in the fast tier, a real CLI is not', () => {
  const named = ['test/property/months.test.ts', 'test/fake-claude/in-memory.test.ts', 'test/architecture.test.ts']
  expect(named.filter((path) => !fast.has(path))).toEqual([])
  expect(fast.has('test/spec/demo.test.ts')).toBe(false)
})

test('the thorough tier names files that exist and need the outside, each once', () => {
  const real = new Set(files.map(({ path }) => path).filter((path) => path.endsWith('.test.ts') && !fast.has(path)))
  expect(thoroughTests.filter((path) => !real.has(path))).toEqual([])
  expect(new Set(thoroughTests).size).toBe(thoroughTests.length)
})

test('every test is in one tier, and those of elsewhere in two', () => {
  const all = allTestFiles(files, fast)
  expect(new Set(all.map(keyOf)).size).toBe(all.length)
  expect(new Set(all.map(({ project }) => project))).toEqual(new Set(['fast', 'standard', 'thorough', 'elsewhere']))
})

test('what says why it is slow exists', () => {
  const paths = new Set(files.map(({ path }) => path))
  expect([...slowTests].filter((path) => !paths.has(path))).toEqual([])
})

const start = (line: string) => [
  { path: 'src/a/a.test.ts', text: "import { b } from './b.ts'" },
  { path: 'src/a/b.ts', text: "export { c } from '../c/c.ts'" },
  { path: 'src/c/c.ts', text: line },
]

test.each([
  "import { spawn } from 'node:child_process'",
  "import { type ChildProcess, spawn } from 'node:child_process'",
  "import 'playwright-core'",
  "export * from 'node:net'",
  "const { request } = await import('node:http')",
])('not in the fast tier: a test that reaches %j three files on', (line) => {
  expect(fastTests(start(line))).toEqual([])
})

test.each([
  "import type { ChildProcess } from 'node:child_process'",
  "import { type Socket } from 'node:net'",
  'const text = "import { spawn } from \'node:child_process\'"',
  "import { readFileSync } from 'node:fs'",
])('in the fast tier: a test that reaches no more than %j', (line) => {
  expect(fastTests(start(line))).toEqual(['src/a/a.test.ts'])
})
