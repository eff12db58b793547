import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { gate } from './gate.ts'
import { root } from './plan.ts'
import { runTests } from './run-tests.ts'

const config = `
import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'
import { notedForks } from '${root}test/gate/noted-forks.ts'
import { inPlannedOrder, plannedProjects, readPlan } from '${root}test/gate/plan.ts'
import { Recorder } from '${root}test/gate/recorder.ts'

const plan = readPlan()
class Planned extends BaseSequencer {
  sort(files) {
    return inPlannedOrder(files, plan)
  }
}
const setupFiles = ['${root}test/tiers/count-processor.ts']
const processes = { pool: notedForks, isolate: false, maxWorkers: 2 }
const project = { name: 'small', include: ['*.test.ts'], setupFiles, testTimeout: 120_000, ...processes }
export default defineConfig({
  test: {
    reporters: [new Recorder(plan)],
    sequence: { sequencer: Planned },
    projects: plannedProjects([{ test: project }], plan),
  },
})
`

/** A repository with nothing but these files of tests, each with what it runs in its one test. */
function repository(tests: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'iris-gate-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  mkdirSync(join(directory, 'marks'))
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(directory, 'vitest.config.ts'), config)
  for (const [name, body] of Object.entries(tests)) {
    const text = `
      import { spawn } from 'node:child_process'
      import { existsSync, writeFileSync } from 'node:fs'
      import { test } from 'vitest'
      import { eventually, WaitRanOut } from '${root}test/support/eventually.ts'
      test('${name} does', async () => { ${body} })
    `
    writeFileSync(join(directory, `${name}.test.ts`), text)
  }
  return directory
}

const nothingKnown = { unsteady: [], showsPromise: () => false, strictKind: () => undefined }

const inSmall = (name: string) => ({ project: 'small', file: `${name}.test.ts` })

async function gateOf(tests: Readonly<Record<string, string>>, known = {}, isChecked = true) {
  const lines: string[] = []
  const isGreen = await gate({
    known: { ...nothingKnown, ...known },
    check: () => isChecked,
    commit: 'abc1234',
    installed: '61',
    print: (...more) => lines.push(...more),
    // One process, for the files in this order.
    tests: { root: repository(tests), files: Object.keys(tests).map(inSmall), maxWorkers: 1 },
  })
  return { isGreen, lines, said: lines.join('\n') }
}

/** Fails the first time. */
const unsteady = `
  const isSecond = existsSync('marks/ran')
  writeFileSync('marks/ran', '')
  if (!isSecond) throw new WaitRanOut('the second time')
`

test('the gate forgives one wait that ran out, and says what to note; the figures name every file', async () => {
  const { isGreen, lines, said } = await gateOf({ steady: '', unsteady })
  expect(said).toContain('Runs again, in one process: steady.test.ts unsteady.test.ts')
  expect(said).toContain('Runs again, in one process: unsteady.test.ts')
  expect(said).toContain('unsteady.test.ts again: with the files before it passed, alone passed')
  expect(said).toMatch(/\{"file":"unsteady.test.ts","test":"unsteady does","date":"[\d-]{10}","commit":"abc1234"\}/)
  expect(said).toMatch(/\d\.\d +\d+\.\d {2}small steady\.test\.ts/)
  expect(said).toContain('Installing took 61 s.')
  expect(lines.at(-1)).toBe('1 passed, 0 failed')
  expect(isGreen).toBe(true)
})

test('the gate is red for any other failure, and for a check that failed', async () => {
  const thrown = unsteady.replace('WaitRanOut', 'Error')
  const { isGreen, lines, said } = await gateOf({ thrown }, {}, false)
  expect(said).toContain('thrown.test.ts: "thrown does" failed with Error, not because a wait ran out')
  expect(said).toContain('npm run check failed. The tests run nevertheless.')
  expect(lines.at(-1)).toBe('0 passed, 2 failed')
  expect(isGreen).toBe(false)
})

test('a file that runs for too long is ended with its stacks and processes, and the files after it run', async () => {
  const at = repository({
    spins: "spawn('node', ['-e', 'setInterval(() => {}, 1000)', '/x/fake-claude']); (function spin() { for (;;); })()",
    waits: "await eventually(() => false, 'what never comes')",
    steady: '',
  })
  const files = ['spins', 'waits', 'steady'].map(inSmall)
  const run = await runTests({ root: at, files, limitMs: 5000 })
  const saidOf = (name: string) =>
    run.files.find(({ file }) => file === `${name}.test.ts`)?.failures.map(({ errors }) => errors[0]?.message)
  expect(saidOf('spins')).toEqual([expect.stringMatching(/at spin [^]*It had started:\n {2}\d+ node -e .*fake-claude/)])
  expect(saidOf('waits')).toEqual([
    expect.stringMatching(/ended in waits does\.\n[^]*at eventually [^]*It has open: .*Timeout/),
  ])
  expect(saidOf('steady')).toEqual([])
  expect(run.starts['small spins.test.ts']).toEqual({ fake: 1 })
  expect(run.isWhole).toBe(true)
})
