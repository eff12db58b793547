import { expect, test } from 'vitest'
import { testsIn } from './tests-in.ts'

test('a test has the tag that it or a describe around it has', () => {
  const text = `
    test('plain', () => {})
    test('tagged', { tags: ['thorough'], timeout: 1 }, async () => {})
    describe('group', { tags: ['thorough'] }, () => { test(\`within\`, () => {}) })
    describe.each([1])('of %s', () => {
      test.each([['a', { tags: [] }]])('in a table: %s', act)
      test.each(['b'])('in a tagged table: %s', { tags: ['thorough'] }, act)
    })
    const quoted = 'no test'`
  expect(testsIn('a.test.ts', text)).toEqual([
    { title: 'plain', isThorough: false },
    { title: 'tagged', isThorough: true },
    { title: 'within', isThorough: true },
    { title: 'in a table: %s', isThorough: false },
    { title: 'in a tagged table: %s', isThorough: true },
  ])
})
