import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../../test/support/scratch.ts'
import { offeredOperations } from './offered.ts'
import { operationsOffered } from './operations-offered.ts'

test('what the contracts offer is kept, and taken from there until a contract has changed', async () => {
  using scratch = scratchDirectory()
  const file = join(scratch.path, 'dist/offered.json')
  expect(await offeredOperations(file)).toEqual(operationsOffered())

  const kept = JSON.parse(readFileSync(file, 'utf8'))
  kept.operations.get_date.title = 'as it is kept'
  writeFileSync(file, JSON.stringify(kept))
  expect((await offeredOperations(file)).get_date.title).toBe('as it is kept')

  for (const old of [JSON.stringify({ ...kept, sources: `${kept.sources} and more` }), '{"sources":', '']) {
    writeFileSync(file, old)
    expect(await offeredOperations(file)).toEqual(operationsOffered())
    expect(JSON.parse(readFileSync(file, 'utf8')).operations).toEqual(operationsOffered())
  }
})

test('where it cannot be kept the contracts are asked each time', async () => {
  expect(await offeredOperations('/dev/null/offered.json')).toEqual(operationsOffered())
})
