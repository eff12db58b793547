import { keyOf, type TestFile } from './plan.ts'
import type { FileRecord } from './record.ts'

/** How a file did since it failed or changed last. */
export interface Passes {
  /** Of the text of the file. */
  readonly hash: string
  /** In a row, on a quiet machine. */
  readonly quiet: number
  /** In a row, beside loops that keep all cores busy. */
  readonly busy: number
  /** Ever, so that it needs as many passes as a file that failed once. */
  readonly failures: readonly SoakFailure[]
}

interface SoakFailure {
  readonly date: string
  /** Of the order and of the company. */
  readonly seed: number
  readonly isBusy: boolean
  readonly what: readonly string[]
  /** What had run before in the same process. */
  readonly before: readonly string[]
}

/** By the key of the file. */
export type SoakTable = Readonly<Record<string, Passes>>

export interface Needed {
  readonly times: number
  /** So many of them beside busy loops. */
  readonly busy: number
}

const untried = (hash: string): Passes => ({ hash, quiet: 0, busy: 0, failures: [] })

/** The table for the files that there are: a file that changed starts again, others continue. */
export function tableFor(files: readonly TestFile[], hashOf: (file: string) => string, old: SoakTable): SoakTable {
  const rows = files.map((each) => {
    const hash = hashOf(each.file)
    const known = old[keyOf(each)] ?? untried(hash)
    return [keyOf(each), known.hash === hash ? known : { ...untried(hash), failures: known.failures }] as const
  })
  return Object.fromEntries(rows)
}

/** The table after files ran: a pass more, or none at all. */
export function afterRun(
  table: SoakTable,
  records: readonly FileRecord[],
  run: { readonly seed: number; readonly isBusy: boolean; readonly date: string },
): SoakTable {
  const rows = records.flatMap((record) => {
    const row = table[keyOf(record)]
    if (row === undefined) return []
    if (record.failures.length === 0)
      return [[keyOf(record), { ...row, ...(run.isBusy ? { busy: row.busy + 1 } : { quiet: row.quiet + 1 }) }] as const]
    const what = record.failures.flatMap(({ test = '(outside of its tests)', errors }) =>
      errors.map(({ name, message }) => `${test}: ${name}: ${message.split('\n')[0]}`),
    )
    const failure = { ...run, what, before: record.before.map(({ file }) => file) }
    return [[keyOf(record), { ...untried(row.hash), failures: [...row.failures, failure] }] as const]
  })
  return { ...table, ...Object.fromEntries(rows) }
}

/** Files whose passes start again. */
export function reset(table: SoakTable, files: readonly string[]): SoakTable {
  const rows = Object.entries(table).map(([key, row]) => {
    const isMeant = files.some((file) => key.endsWith(` ${file}`))
    return [key, isMeant ? { ...row, quiet: 0, busy: 0 } : row] as const
  })
  return Object.fromEntries(rows)
}

/** What a file still needs: passes on a quiet machine and beside busy loops. Those beside loops count for both. */
export function missing({ quiet, busy }: Passes, needed: Needed): { readonly quiet: number; readonly busy: number } {
  const stillBusy = Math.max(0, needed.busy - busy)
  return { busy: stillBusy, quiet: Math.max(0, needed.times - quiet - busy - stillBusy) }
}

/** So many files run before the table is saved. */
const maxFiles = 40
const minFiles = 6

/** Files to run next: a random number of those that are short of passes, with others if they are few. Undefined if none is short. */
export function nextBatch(
  files: readonly TestFile[],
  table: SoakTable,
  neededBy: (key: string) => Needed,
  random: (count: number) => number,
): { readonly files: readonly TestFile[]; readonly isBusy: boolean } | undefined {
  const mixed = shuffled(files, random)
  const short = (kind: 'quiet' | 'busy'): TestFile[] =>
    mixed.filter((file) => missing(table[keyOf(file)]!, neededBy(keyOf(file)))[kind] > 0)
  const [quiet, busy] = [short('quiet'), short('busy')]
  if (quiet.length + busy.length === 0) return undefined
  const isBusy = random(quiet.length + busy.length) < busy.length
  const meant = (isBusy ? busy : quiet).slice(0, minFiles + random(maxFiles - minFiles))
  const company = mixed.filter((file) => !meant.includes(file)).slice(0, Math.max(0, minFiles - meant.length))
  return { files: shuffled([...meant, ...company], random), isBusy }
}

function shuffled<T>(things: readonly T[], random: (count: number) => number): T[] {
  return things
    .map((thing) => ({ thing, place: random(2 ** 30) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ thing }) => thing)
}

/** What the table says, for people. */
export function soakLines(table: SoakTable, neededBy: (key: string) => Needed): readonly string[] {
  const rows = Object.entries(table)
  const short = rows.filter(([key, row]) => {
    const { quiet, busy } = missing(row, neededBy(key))
    return quiet + busy > 0
  })
  const failures = rows.flatMap(([key, row]) => row.failures.map((failure) => ({ key, ...failure })))
  return [
    `${rows.length - short.length} files done, ${short.length} short`,
    ...short.map(([key, row]) => {
      const { times, busy } = neededBy(key)
      return `  ${row.quiet + row.busy} of ${times} passes in a row, ${row.busy} of ${busy} beside busy loops: ${key}`
    }),
    `${failures.length} failures`,
    ...failures.flatMap(({ key, date, seed, isBusy, what, before }) => [
      `  ${date} ${key}, seed ${seed}${isBusy ? ', beside busy loops' : ''}${before.length > 0 ? `, after ${before.join(' ')}` : ''}`,
      ...what.map((line) => `    ${line}`),
    ]),
  ]
}
