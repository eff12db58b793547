import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reliabilityPromises, rowsOf, securityPromises } from './tiers/promises.ts'
import { thoroughTests } from './tiers/thorough.ts'

const root = join(import.meta.dirname, '..')

test('each promise of reliability names tests that exist', () => {
  const promises = reliabilityPromises()
  expect(promises.map(({ promise }) => promise)).toEqual(Array.from({ length: 13 }, (_, index) => `R${index + 1}`))
  for (const { promise, tests, unknown } of promises) {
    expect(tests.length, `${promise} names tests`).toBeGreaterThan(0)
    expect(unknown, `${promise} names nothing else`).toEqual([])
    for (const { file, title } of tests) {
      const text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : ''
      const isThere = [`'${title}'`, `"${title}"`, `\`${title}\``].some((quoted) => text.includes(quoted))
      expect(isThere, `${promise}: ${file} has the test "${title}"`).toBe(true)
    }
  }
})

test('each promise of security names files of tests that exist', () => {
  const promises = securityPromises()
  expect(promises.length).toBeGreaterThan(10)
  for (const { promise, unknown } of promises) expect(unknown, `"${promise}" is held by`).toEqual([])
})

test('npm test shows each promise', () => {
  for (const { promise, tests } of [...reliabilityPromises(), ...securityPromises()]) {
    for (const { file } of tests) expect(thoroughTests, `npm test shows "${promise}"`).not.toContain(file)
  }
})

test('the guide says of each thing that takes /proc what becomes of it without, in the words of the log', async () => {
  const { missingWithoutProc } = await import('../src/platform/machine/proc.ts')
  const told = rowsOf('docs/guide/security.md').map(([, , without]) => without)
  for (const missing of missingWithoutProc('/nowhere')) expect(told).toContain(missing)
})
