import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reliabilityPromises, rowsOf, securityBounds, securityPromises } from './tiers/promises.ts'
import { testsIn } from './tiers/tests-in.ts'
import { thoroughTests } from './tiers/thorough.ts'

const root = join(import.meta.dirname, '..')

function declaredIn(file: string): ReturnType<typeof testsIn> {
  return existsSync(join(root, file)) ? testsIn(file, readFileSync(join(root, file), 'utf8')) : []
}

const promises = [...reliabilityPromises(), ...securityPromises(), ...securityBounds()]

test('the promises of reliability are numbered, and those of security are read', () => {
  const numbers = reliabilityPromises().map(({ promise }) => promise)
  expect(numbers).toEqual(Array.from({ length: 13 }, (_, index) => `R${index + 1}`))
  expect(securityPromises().length).toBeGreaterThan(20)
  expect(securityBounds().length).toBeGreaterThan(10)
})

test.each(promises)('$promise names tests that exist, and npm test runs them', ({ tests, unknown }) => {
  expect(tests).not.toEqual([])
  expect(unknown).toEqual([])
  for (const { file, title } of tests) {
    expect(thoroughTests).not.toContain(file)
    const declared = declaredIn(file).filter((each) => each.title === title)
    expect(declared, `${file}: ${title}`).not.toEqual([])
    expect(
      declared.some(({ isThorough }) => !isThorough),
      `npm test runs "${title}" of ${file}`,
    ).toBe(true)
  }
})

test('the guide says of each thing that takes /proc what becomes of it without, in the words of the log', async () => {
  const { missingWithoutProc } = await import('../src/platform/machine/proc.ts')
  const told = rowsOf('docs/guide/security.md').map(([, , without]) => without)
  for (const missing of missingWithoutProc('/nowhere')) expect(told).toContain(missing)
})
