import { expect, test } from 'vitest'
import { contracts } from './contracts.ts'
import { readTestedFiles } from './fast.ts'

const tests = readTestedFiles().filter(({ path }) => path.endsWith('.test.ts') && !path.startsWith('test/tiers/'))
const naming = (name: string): readonly string[] =>
  tests.filter(({ text }) => new RegExp(`\\b${name}\\b`).test(text)).map(({ path }) => path)

test('the specs that run with both versions of Claude Code in every run are those that are listed with a reason', () => {
  expect(naming('contractVersions').toSorted()).toEqual(Object.keys(contracts).toSorted())
})
