import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fastTests, readTestedFiles } from './fast.ts'
import { thoroughTests } from './thorough.ts'

interface Promised {
  /** Its number, or its first words. */
  readonly promise: string
  /** Files that show it, each with the title of the test where the page names one. */
  readonly tests: readonly { readonly file: string; readonly title?: string }[]
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
  return rows.map(([promise = '', , cell = '']) => {
    // `file`: "title"; `file`: "title"
    const parts = cell.split('; `').map((part, index) => (index === 0 ? part : `\`${part}`))
    const read = parts.map((part) => /^`([^`]+\.test\.ts)`: "((?:[^"\\]|\\.)+)"$/.exec(part))
    const tests = read.flatMap((match) => (match ? [{ file: match[1]!, title: match[2]!.replaceAll('\\"', '"') }] : []))
    return { promise, tests, unknown: parts.filter((_, index) => read[index] === null) }
  })
}

/** Every promise of docs/guide/security.md. */
export function securityPromises(): readonly Promised[] {
  const rows = rowsOf('docs/guide/security.md', '## What it does not')
  const held = rows.filter(([, by]) => /^`[^`]+`(, `[^`]+`)*$/.test(by ?? ''))
  return held.map(([promise = '', by = '']) => {
    const names = [...by.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)
    const found = names.map((name) => [name, fileOf(name)] as const)
    const tests = found.flatMap(([, file]) => (file === undefined ? [] : [{ file }]))
    return { promise, tests, unknown: found.flatMap(([name, file]) => (file === undefined ? [name] : [])) }
  })
}

function fileOf(name: string): string | undefined {
  const places = [name, `test/spec/${name}.test.ts`, `test/${name}.test.ts`]
  return places.find((path) => path.endsWith('.test.ts') && existsSync(join(root, path)))
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
      process.stdout.write(`  ${tierOf(file).padEnd(8)}  ${title === undefined ? file : `${file}: ${title}`}\n`)
    }
  }
}
