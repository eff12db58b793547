import { expect, test } from 'vitest'
import { processorOf, realStarts, slowestFiles } from './figures.ts'
import { partsOf } from './parts-of.ts'
import { inPlannedOrder, plannedProjects } from './plan.ts'
import { programOf } from './program-of.ts'
import type { FileRecord } from './record.ts'

const record = (project: string, file: string, wallMs: number, processor: number): FileRecord => ({
  project,
  file,
  wallMs,
  processor,
  passed: 1,
  failures: [],
  before: [],
  parts: { [project]: processor },
})

test('the twenty slowest files, by the time they took', () => {
  const files = Array.from({ length: 30 }, (_, index) => record('fast', `${index}.test.ts`, index * 1000, 1.25))
  const [, ...lines] = slowestFiles(files)
  expect(lines).toHaveLength(20)
  expect(lines[0]).toBe('   29.0     1.3  fast 29.test.ts')
})

test('the processor time of each part, and which part is over its budget', () => {
  const files = [record('fast', 'a', 1, 40), record('fast', 'b', 1, 30), record('standard', 'c', 1, 9)]
  expect(processorOf(files, { check: 46.2 }, { check: 45, fast: 70 })).toEqual([
    'Seconds of processor, budget',
    '   46.2      45  check  over its budget',
    '   70.0      70  fast',
    '    9.0    none  standard',
    '  125.2          all',
  ])
})

test('the processor time of a file is shared among its parts by how long their tests took', () => {
  const test = (name: string, ms: number, ...tags: string[]) => ({ name, tags, ms })
  const tests = [test('a', 10), test('b', 20, 'thorough'), test('with 2.1.197 > a', 30), test('with 2.1.330 > a', 40)]
  expect(partsOf('standard', 5, tests)).toEqual({ standard: 2.5, thorough: 1, elsewhere: 1.5 })
  expect(partsOf('thorough', 5, tests)).toEqual({ thorough: 5 })
  expect(partsOf('standard', 5, [])).toEqual({ standard: 5 })
})

test('real starts, in all and for the ten files with most', () => {
  const many = Array.from({ length: 12 }, (_, index) => [`fast ${index}`, { fake: index + 1 }] as const)
  const starts = { ...Object.fromEntries(many), '': { claude: 100, chromium: 2 } }
  const lines = realStarts({ starts, samplerSeconds: 3 })
  expect(lines).toHaveLength(2 + 1 + 10 + 1)
  expect(lines[2]).toBe('     100       78        0        0        2  all')
  expect(lines[3]).toBe('     100        0        0        0        2  of no known file')
  expect(lines[4]).toBe('       0       12        0        0        0  fast 11')
})

const node = '/opt/node/bin/node'
const claude = '/r/node_modules/@anthropic-ai/claude-code-linux-x64/claude'

test.each([
  [[claude, '--print'], claude, 'claude'],
  [['rg', '--files'], claude, undefined],
  [['node', '/r/test/fake-claude/fake-claude', '--print'], node, 'fake'],
  [['node', '--require', 'x.cjs', '/r/src/main.ts', 'start'], node, 'daemon'],
  [['node', '/r/test/support/crashing-daemon.ts', 'none'], node, 'daemon'],
  [['node', '/r/src/main.ts', 'ask', 'a', 'hello'], node, 'command'],
  [['node', '/x/dist/main.js', 'status'], node, 'command'],
  [['node', '/x/.bin/iris', 'start'], node, 'daemon'],
  [['sh', '/r/iris', 'start'], '/bin/sh', undefined],
  [['node', '/r/node_modules/vitest/vitest.mjs'], node, undefined],
  [['chromium', '--headless'], '/usr/lib/chromium/chromium', 'chromium'],
  [['chromium --type=renderer --lang=en-US'], '/usr/lib/chromium/chromium', undefined],
])('%j of %s is %s', (args, executable, program) => {
  expect(programOf(args, executable)).toBe(program)
})

test('a plan leaves out projects without files, and its order keeps the files of a project together', () => {
  const files = ['fast c', 'standard a', 'fast b'].map((each) => {
    const [project = '', file = ''] = each.split(' ')
    return { project, file }
  })
  const plan = { record: '', limitMs: 1, files, isolate: false, maxWorkers: 1 }
  const projects = ['fast', 'standard', 'thorough'].map((name) => ({ test: { name, include: ['**'] } }))
  expect(plannedProjects(projects, plan)).toEqual([
    { test: { name: 'fast', include: ['c', 'b'], isolate: false, maxWorkers: 1 } },
    { test: { name: 'standard', include: ['a'], isolate: false, maxWorkers: 1 } },
  ])
  expect(plannedProjects(projects, { record: '', limitMs: 1 })).toEqual(projects)
  const specifications = files.map(({ project, file }) => ({
    moduleId: `/r/${file}`,
    project: { name: project, config: { root: '/r' } },
  }))
  const inOrder = inPlannedOrder(specifications.toReversed(), plan).map(({ moduleId }) => moduleId)
  expect(inOrder).toEqual(['/r/c', '/r/b', '/r/a'])
})
