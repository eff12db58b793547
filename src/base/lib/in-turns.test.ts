import { expect, test } from 'vitest'
import { mapInTurns } from './in-turns.ts'

test('a long list is mapped in order, and others have their turn meanwhile', async () => {
  const numbers = Array.from({ length: 100 }, (_, index) => index)
  let turns = 0
  let isMapped = false
  const other = (): void => {
    if (isMapped) return
    turns += 1
    setImmediate(other)
  }
  setImmediate(other)
  const doubled = await mapInTurns(numbers, (number) => number * 2)
  isMapped = true
  expect(doubled).toEqual(numbers.map((number) => number * 2))
  expect(turns).toBeGreaterThanOrEqual(4)
})

test('what fails at one item fails the whole', async () => {
  await expect(mapInTurns(['a', 'b'], (item) => Promise.reject(new Error(item)))).rejects.toThrow('a')
})
