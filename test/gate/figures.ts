import { budgets } from '../tiers/budgets.ts'
import { keyOf } from './plan.ts'
import { programs } from './program-of.ts'
import type { FileRecord, RunRecord } from './record.ts'

const maxSlow = 20
const maxStarting = 10

const seconds = (value: number): string => value.toFixed(1).padStart(7)

/** The files that took most of the time, with the processor time they took. */
export function slowestFiles(files: readonly FileRecord[]): readonly string[] {
  const slowest = files.toSorted((a, b) => b.wallMs - a.wallMs).slice(0, maxSlow)
  return [
    'The slowest files: seconds, seconds of processor',
    ...slowest.map((file) => `${seconds(file.wallMs / 1000)} ${seconds(file.processor)}  ${keyOf(file)}`),
  ]
}

/** The processor time of each part of the run beside its budget. */
export function processorOf(
  files: readonly FileRecord[],
  others: Readonly<Record<string, number>>,
  budgetOf: Readonly<Record<string, number>>,
): readonly string[] {
  const taken = new Map(Object.entries(others))
  for (const { parts } of files) {
    for (const [part, value] of Object.entries(parts)) taken.set(part, (taken.get(part) ?? 0) + value)
  }
  const lines = [...taken].map(([part, value]) => {
    const budget = budgetOf[part]
    const over = budget !== undefined && value > budget ? '  over its budget' : ''
    return `${seconds(value)} ${String(budget ?? 'none').padStart(7)}  ${part}${over}`
  })
  const sum = [...taken.values()].reduce((a, b) => a + b, 0)
  return ['Seconds of processor, budget', ...lines, `${seconds(sum)}          all`]
}

/** How many times the programs that take most were started: in all, and for the files that start most. */
export function realStarts({
  starts,
  samplerSeconds,
}: Pick<RunRecord, 'starts' | 'samplerSeconds'>): readonly string[] {
  const counts = Object.entries(starts).map(([key, each]) => ({
    key: key === '' ? 'of no known file' : key,
    each: programs.map((program) => each[program] ?? 0),
  }))
  const sumOf = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)
  const line = (values: readonly (number | string)[], what: string): string =>
    `${values.map((value) => String(value).padStart(8)).join(' ')}  ${what}`
  const most = counts.toSorted((a, b) => sumOf(b.each) - sumOf(a.each)).slice(0, maxStarting)
  return [
    'Real starts of Claude Code, its double, daemons, other commands of Iris, and Chromium',
    line(programs, ''),
    line(
      programs.map((_, index) => sumOf(counts.map(({ each }) => each[index]!))),
      'all',
    ),
    ...most.map(({ key, each }) => line(each, key)),
    `(Counting them took ${samplerSeconds.toFixed(1)} s of processor.)`,
  ]
}

/** All of it. `others`: what else took processor time. */
export function figuresOf(run: RunRecord, others: Readonly<Record<string, number>>): readonly string[] {
  return [...slowestFiles(run.files), '', ...processorOf(run.files, others, budgets), '', ...realStarts(run)]
}

/** The failures of a run, one a line. */
export function failureLines(files: readonly FileRecord[]): readonly string[] {
  return files.flatMap((file) =>
    file.failures.flatMap(({ test = '(outside of its tests)', errors }) =>
      errors.map(({ name, message }) => `${keyOf(file)} > ${test}: ${name}: ${message.split('\n')[0]}`),
    ),
  )
}
