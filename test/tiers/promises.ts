import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fastTests, readTestedFiles } from './fast.ts'
import { thoroughTests } from './thorough.ts'

interface Promised {
  /** Its number, or its first words. */
  readonly promise: string
  /** Tests that show it. */
  readonly tests: readonly { readonly file: string; readonly title: string }[]
  /** What the page names besides. */
  readonly unknown: readonly string[]
}

const root = join(import.meta.dirname, '../..')

/** The rows of the tables of a page, or of what comes before a heading of it, as their cells. */
export function rowsOf(page: string, before?: string): string[][] {
  const whole = readFileSync(join(root, page), 'utf8')
  const [text = ''] = before === undefined ? [whole] : whole.split(before)
  const lines = text.split('\n').filter((line) => line.startsWith('| '))
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
}

/** Every promise of docs/reliability.md, by its number. */
export function reliabilityPromises(): readonly Promised[] {
  const rows = rowsOf('docs/reliability.md').filter(([number]) => /^R\d+$/.test(number!))
  return rows.map(([promise = '', cell = '']) => ({ promise, ...testsOf(cell) }))
}

/** Every promise of docs/guide/security.md. */
export function securityPromises(): readonly Promised[] {
  const rows = rowsOf('docs/guide/security.md', '## What it does not').filter(([promise]) => promise !== 'promise')
  return rows
    .filter((row) => row.length === 2 && !/^-+$/.test(row[0]!))
    .map(([promise = '', cell = '']) => ({ promise, ...testsOf(cell) }))
}

/** Every bound of docs/guide/security.md. */
export function securityBounds(): readonly Promised[] {
  const rows = rowsOf('docs/guide/security.md', '## Without /proc').filter(
    ([resource]) => resource !== 'resource' && !/^-+$/.test(resource!),
  )
  return rows.filter((row) => row.length === 4).map(([promise = '', , , cell = '']) => ({ promise, ...testsOf(cell) }))
}

/** `file`: "title"; `file`: "title" */
function testsOf(cell: string): Pick<Promised, 'tests' | 'unknown'> {
  const parts = cell.split('; `').map((part, index) => (index === 0 ? part : `\`${part}`))
  const read = parts.map((part) => /^`([^`]+\.test\.ts)`: "((?:[^"\\]|\\.)+)"$/.exec(part))
  const tests = read.flatMap((match) => (match ? [{ file: match[1]!, title: match[2]!.replaceAll('\\"', '"') }] : []))
  return { tests, unknown: parts.filter((_, index) => read[index] === null) }
}

/** `npm run promises`: a line for each promise and test, with the tier. */
if (import.meta.main) {
  const fast = new Set(fastTests(readTestedFiles()))
  const tierOf = (file: string): string => {
    if (fast.has(file)) return 'fast'
    return thoroughTests.includes(file) ? 'thorough' : 'standard'
  }
  for (const { promise, tests } of [...reliabilityPromises(), ...securityPromises()]) {
    process.stdout.write(`${promise}\n`)
    for (const { file, title } of tests) {
      process.stdout.write(`  ${tierOf(file).padEnd(8)}  ${`${file}: ${title}`}\n`)
    }
  }
}
