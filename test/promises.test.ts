import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reliabilityPromises, rowsOf, securityPromises } from './tiers/promises.ts'
import { testsIn } from './tiers/tests-in.ts'
import { thoroughTests } from './tiers/thorough.ts'

const root = join(import.meta.dirname, '..')

function declaredIn(file: string): ReturnType<typeof testsIn> {
  return existsSync(join(root, file)) ? testsIn(file, readFileSync(join(root, file), 'utf8')) : []
}

test('each promise of reliability names tests that exist', () => {
  const promises = reliabilityPromises()
  expect(promises.map(({ promise }) => promise)).toEqual(Array.from({ length: 13 }, (_, index) => `R${index + 1}`))
  for (const { promise, tests, unknown } of promises) {
    expect(tests.length, `${promise} names tests`).toBeGreaterThan(0)
    expect(unknown, `${promise} names nothing else`).toEqual([])
    for (const { file, title } of tests) {
      expect(
        declaredIn(file).map((each) => each.title),
        `${promise}: tests of ${file}`,
      ).toContain(title)
    }
  }
})

test('each promise of security names files of tests that exist', () => {
  const promises = securityPromises()
  expect(promises.length).toBeGreaterThan(10)
  for (const { promise, unknown } of promises) expect(unknown, `"${promise}" is held by`).toEqual([])
})

test('npm test shows each promise: no named test is in the thorough tier, nor all tests of a named file', () => {
  for (const { promise, tests } of [...reliabilityPromises(), ...securityPromises()]) {
    for (const { file, title } of tests) {
      expect(thoroughTests, `npm test shows "${promise}"`).not.toContain(file)
      const named = declaredIn(file).filter((each) => title === undefined || each.title === title)
      expect(
        named.some(({ isThorough }) => !isThorough),
        `"${promise}": npm test runs ${title ?? file}`,
      ).toBe(true)
    }
  }
})

test('the guide says of each thing that takes /proc what becomes of it without, in the words of the log', async () => {
  const { missingWithoutProc } = await import('../src/platform/machine/proc.ts')
  const told = rowsOf('docs/guide/security.md').map(([, , without]) => without)
  for (const missing of missingWithoutProc('/nowhere')) expect(told).toContain(missing)
})
