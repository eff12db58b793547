/**
 * `npm run nightly [-- --minutes 60 --seed 7 file…]`: all tests, or those files, each in a process of its own, with both versions of
 * Claude Code and with a fresh seed; then so many minutes of chaos. One table at the end; the exit code is 1 if anything failed.
 */
import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'
import { failureLines, figuresOf } from './figures.ts'
import { root } from './plan.ts'
import { runTests } from './run-tests.ts'
import { stopped } from './stopped.ts'
import { allTestFiles } from './test-files.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
})
const print = (...lines: readonly string[]): void => void process.stdout.write(`${lines.join('\n')}\n`)

const files = positionals.length === 0 ? undefined : allTestFiles().filter(({ file }) => positionals.includes(file))
if (files?.length === 0 || !(Number(values.minutes) > 0) || !Number.isSafeInteger(Number(values.seed))) {
  process.stderr.write('npm run nightly [-- --minutes 60 --seed 7 file…]\n')
  process.exit(2)
}
const signal = stopped()
const again = `IRIS_CLAUDE=both IRIS_SEED=${values.seed}`
print(`Seed ${values.seed}`)
const run = await runTests({ files, signal, isolate: true, env: { IRIS_CLAUDE: 'both', IRIS_SEED: values.seed } })
const chaos = await playChaos()
const failures = [...failureLines(run.files), ...run.errors, ...(run.isWhole ? [] : ['The run ended before its end.'])]
const passed = run.files.reduce((sum, file) => sum + file.passed, 0)

print('', ...figuresOf(run, {}), '', `Chaos, ${values.minutes} minutes`, ...chaos.lines)
if (failures.length > 0) print('', `Failures, with ${again}`, ...failures)
print('', `${passed} passed, ${failures.length + (chaos.isWell ? 0 : 1)} failed`)
process.exit(failures.length === 0 && chaos.isWell ? 0 : 1)

/** All kinds of chaos, each for its share of the time; its last lines say what it did. */
async function playChaos(): Promise<{ readonly isWell: boolean; readonly lines: readonly string[] }> {
  if (signal.aborted) return { isWell: false, lines: ['It was stopped before.'] }
  const args = ['test/chaos/main.ts', '--minutes', values.minutes, '--seed', values.seed]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  signal.addEventListener('abort', () => child.kill('SIGTERM'))
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    process.stdout.write(chunk)
    said += chunk.toString()
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { isWell: code === 0, lines: said.trim().split('\n') }
}
