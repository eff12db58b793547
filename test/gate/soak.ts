/**
 * `npm run soak [-- --times 10 --busy 4 --pauses --minutes 30 --seed 7 --reset file --table path file…]`: runs the tests in random order and
 * random company until each file has passed often enough in a row, some of it beside loops that keep all cores busy. `--pauses`
 * also pauses their processes at random. The table of passes stays for the next time, so it can be stopped at any moment.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { picker } from '../property/random.ts'
import { BusyLoops, Pauses } from './disturbances.ts'
import { failureLines } from './figures.ts'
import { keyOf, root } from './plan.ts'
import { runTests } from './run-tests.ts'
import { afterRun, nextBatch, reset, type SoakTable, soakLines, tableFor } from './soak-table.ts'
import { stopped } from './stopped.ts'
import { allTestFiles } from './test-files.ts'
import { thirtyTimes } from './thirty-times.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '10' },
    busy: { type: 'string', default: '4' },
    pauses: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    reset: { type: 'string', multiple: true, default: [] },
    table: { type: 'string', default: join(root, 'node_modules/.cache/iris-soak.json') },
  },
})
const needed = { times: Number(values.times), busy: Number(values.busy) }
const thrice = { times: 3 * needed.times, busy: 3 * needed.busy }
const all = allTestFiles()
const chosen = all.filter(({ file }) => positionals.length === 0 || positionals.includes(file))
const unknown = [...positionals, ...values.reset].filter((name) => !all.some(({ file }) => file === name))
if (unknown.length > 0 || !(needed.times > 0) || !(needed.busy >= 0) || !(Number(values.minutes) > 0)) {
  process.stderr.write(`Not a test file: ${unknown.join(' ')}\nUsage: see the first lines of test/gate/soak.ts.\n`)
  process.exit(2)
}

const old = existsSync(values.table) ? (JSON.parse(readFileSync(values.table, 'utf8')) as SoakTable) : {}
const hashOf = (file: string): string =>
  createHash('sha256')
    .update(readFileSync(join(root, file)))
    .digest('hex')
let table = reset(tableFor(all, hashOf, old), values.reset)
const keys = new Set(chosen.map(keyOf))
const neededBy = (key: string) => {
  if (!keys.has(key)) return { times: 0, busy: 0 }
  const isOften = thirtyTimes.some((file) => key.endsWith(` ${file}`)) || table[key]!.failures.length > 0
  return isOften ? thrice : needed
}

const signal = AbortSignal.any([stopped(), AbortSignal.timeout(Number(values.minutes) * 60_000)])

let isWell = true
for (let seed = Number(values.seed); !signal.aborted; seed += 1) {
  const batch = nextBatch(all, table, neededBy, picker(seed))
  if (batch === undefined) break
  const { files, isBusy } = batch
  process.stdout.write(`\nSeed ${seed}: ${files.length} files${isBusy ? ' beside busy loops' : ''}\n`)
  using _loops = isBusy ? new BusyLoops() : undefined
  using _pauses = isBusy && values.pauses ? new Pauses(seed) : undefined
  const run = await runTests({ files, isolate: false, signal })
  // What fails in a run that was stopped may fail for that reason, and errors of no file take the worth from its passes.
  const records = signal.aborted ? run.files.filter(({ failures }) => failures.length === 0) : run.files
  const isClean = run.errors.length === 0 || signal.aborted
  isWell &&= isClean && records.every(({ failures }) => failures.length === 0)
  const counted = isClean ? records : records.filter(({ failures }) => failures.length > 0)
  table = afterRun(table, counted, { seed, isBusy, date: new Date().toISOString().slice(0, 10) })
  save(table)
  const errors = isClean ? [] : run.errors.map((message) => `outside of the tests: ${message}`)
  process.stdout.write([...failureLines(records), ...errors].map((line) => `${line}\n`).join(''))
}
const rows = Object.fromEntries(Object.entries(table).filter(([key]) => keys.has(key)))
process.stdout.write(`\n${soakLines(rows, neededBy).join('\n')}\n`)
process.exit(isWell ? 0 : 1)

/** Whole or not at all: it may be stopped right here. */
function save(whole: SoakTable): void {
  mkdirSync(dirname(values.table), { recursive: true })
  writeFileSync(`${values.table}.new`, JSON.stringify(whole, undefined, 1))
  renameSync(`${values.table}.new`, values.table)
}
