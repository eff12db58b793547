/**
 * `.ci/run` starts it once everything is installed: `scripts/test node test/gate/gate.ts [--installed 60] [--record run.json]`. It checks, runs all tests,
 * runs again what failed, and prints the figures; `--record` keeps those of every file. The exit code is 1 unless both the check and the tests are green.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { processorSeconds } from '../tiers/processor-time.ts'
import { rerun } from './diagnose.ts'
import { failureLines, figuresOf } from './figures.ts'
import { readKnown } from './known.ts'
import { root } from './plan.ts'
import type { RunRecord } from './record.ts'
import { type RunOptions, runTests } from './run-tests.ts'
import { stopped } from './stopped.ts'
import { type Known, type Rerun, unsteadyLines, whyRed } from './verdict.ts'

/** All reruns of a gate together. */
const rerunLimitMs = 600_000

interface Options {
  readonly known: Known
  /** Whether everything is in order that can be judged without running a test. */
  readonly check: () => boolean
  readonly commit: string
  /** How long it took to install what was missing, in seconds. */
  readonly installed: string
  readonly print: (...lines: readonly string[]) => void
  /** For the run of all tests. */
  readonly tests?: RunOptions
  /** Takes the record of that run. */
  readonly keep?: (run: RunRecord) => void
}

/** Whether everything is green. What is printed last is how many passed and failed. */
export async function gate({ known, check, commit, installed, print, tests = {}, keep }: Options): Promise<boolean> {
  const before = processorSeconds()
  const isChecked = check()
  const processor = { check: processorSeconds() - before }
  // The tests run in any case, so that one run reports all faults.
  if (!isChecked) print('', 'npm run check failed. The tests run nevertheless.', '')

  const run = await runTests(tests)
  keep?.(run)
  const failed = run.files.filter(({ failures }) => failures.length > 0)
  const again: typeof runTests = (options) => {
    print('', `Runs again, in one process: ${options?.files?.map(({ file }) => file).join(' ')}`)
    return runTests({ ...tests, isolate: false, maxWorkers: 1, ...options })
  }
  const limits = [AbortSignal.timeout(rerunLimitMs), ...(tests.signal ? [tests.signal] : [])]
  const reruns = await rerun(failed, (files, signal) => again({ files, signal }), AbortSignal.any(limits))
  const outside = [
    ...(isChecked ? [] : ['npm run check failed']),
    ...(run.isWhole ? [] : ['the run ended before its end']),
    ...run.errors.map((message) => `an error outside of the tests: ${message}`),
  ]
  const red = [...outside, ...whyRed(failed, reruns, known)]
  const isForgiven = failed.length > 0 && red.length === 0

  print('', ...figuresOf(run, processor), '', `Installing took ${installed} s.`)
  if (failed.length > 0) print('', 'Failures', ...failureLines(failed), ...reruns.map(lineOf))
  if (isForgiven) {
    const lines = unsteadyLines(failed, new Date().toISOString().slice(0, 10), commit)
    print('', 'Unsteady. Add to test/tiers/unsteady.json:', ...lines.map((line) => JSON.stringify(line)))
  }
  if (red.length > 0) print('', 'Red:', ...red.map((why) => `  ${why}`))
  const passed = run.files.reduce((sum, file) => sum + file.passed, 0)
  const failures = failed.reduce((sum, file) => sum + file.failures.length, 0)
  print('', `${passed} passed, ${isForgiven ? 0 : failures + outside.length} failed`)
  return red.length === 0
}

function lineOf({ file, inCompany, alone }: Rerun): string {
  const said = (passes: boolean | undefined): string =>
    passes === undefined ? 'not run' : passes ? 'passed' : 'failed'
  return `${file.file} again: with the files before it ${said(inCompany)}, alone ${said(alone)}`
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { installed: { type: 'string', default: '0' }, record: { type: 'string' } } })
  const { record } = values
  const isGreen = await gate({
    known: readKnown(),
    check: () =>
      spawnSync(join(root, 'scripts/check'), { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0,
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim(),
    installed: values.installed,
    tests: { signal: stopped() },
    ...(record && { keep: (run) => writeFileSync(record, JSON.stringify(run)) }),
    print: (...lines) => {
      process.stdout.write(`${lines.join('\n')}\n`)
    },
  })
  process.exit(isGreen ? 0 : 1)
}
