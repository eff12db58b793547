import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { thoroughTests } from './tiers/thorough.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** The rows of the tables of a page, or of what stands before a heading of it, as their cells. */
function rowsOf(page: string, before?: string): string[][] {
  const [text = ''] = before === undefined ? [read(page)] : read(page).split(before)
  const lines = text.split('\n').filter((line) => line.startsWith('| '))
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
}

/** `file`: "title"; `file`: "title" */
function testsIn(cell: string): [string, string][] {
  return [...cell.matchAll(/`([^`]+\.test\.ts)`: "((?:[^"\\]|\\.)+)"/g)].map(([, file, title]) => [
    file!,
    title!.replaceAll('\\"', '"'),
  ])
}

test('each promise of reliability names tests that exist', () => {
  const promises = rowsOf('docs/reliability.md').filter(([number]) => /^R\d+$/.test(number!))
  expect(promises.map(([number]) => number)).toEqual(Array.from({ length: 13 }, (_, index) => `R${index + 1}`))
  for (const [number, , cell] of promises) {
    const tests = testsIn(cell!)
    expect(tests.length, `${number} names tests`).toBeGreaterThan(0)
    expect(tests.length, `${number} names nothing else`).toBe(cell!.split('; `').length)
    for (const [file, title] of tests) {
      const quoted = [`'${title}'`, `"${title}"`, `\`${title}\``]
      const isThere = existsSync(join(root, file)) && quoted.some((text) => read(file).includes(text))
      expect(isThere, `${number}: ${file} has the test "${title}"`).toBe(true)
      expect(thoroughTests, `npm test shows ${number}`).not.toContain(file)
    }
  }
})

test('each promise of security names files of tests that exist', () => {
  const held = rowsOf('docs/guide/security.md', '## What it does not').filter(([, by]) =>
    /^`[^`]+`(, `[^`]+`)*$/.test(by ?? ''),
  )
  expect(held.length).toBeGreaterThan(10)
  for (const [promise, by] of held) {
    for (const [, name] of by!.matchAll(/`([^`]+)`/g)) {
      const places = [name!, `test/spec/${name}.test.ts`, `test/${name}.test.ts`]
      const file = places.find((path) => path.endsWith('.test.ts') && existsSync(join(root, path)))
      expect(file, `"${promise}" is held by ${name}`).toBeDefined()
      expect(thoroughTests, `npm test shows that "${promise}"`).not.toContain(file)
    }
  }
})

test('the guide says of each thing that takes /proc what becomes of it without, in the words of the log', async () => {
  const { missingWithoutProc } = await import('../src/platform/machine/proc.ts')
  const told = rowsOf('docs/guide/security.md').map(([, , without]) => without)
  for (const missing of missingWithoutProc('/nowhere')) expect(told).toContain(missing)
})
