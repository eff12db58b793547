import { expect, test } from 'vitest'
import { mapInTurns, ownTurn, TurnQueue } from './in-turns.ts'

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

test('however many lists are mapped at once, each turn of the loop has one slice', async () => {
  const numbers = Array.from({ length: 100 }, (_, index) => index)
  const lists = 20
  let [inTurn, most, isMapped] = [0, 0, false]
  const other = (): void => {
    most = Math.max(most, inTurn)
    inTurn = 0
    if (!isMapped) setImmediate(other)
  }
  const map = (number: number): number => {
    inTurn += 1
    return number
  }
  const all = Array.from({ length: lists }, () => mapInTurns(numbers, map))
  setImmediate(other)
  await Promise.all(all)
  isMapped = true
  expect(most).toBe(20)
})

test('what follows a long list has a turn of its own', async () => {
  const order: string[] = []
  const mapped = mapInTurns(Array.from({ length: 21 }), () => order.push('item')).then(() => order.push('after'))
  await ownTurn()
  setImmediate(() => order.push('other'))
  await mapped
  expect(order.slice(-3)).toEqual(['item', 'other', 'after'])
})

test('so many of a crowd continue in each turn, the first ones at once, and all in their order', async () => {
  const queue = new TurnQueue(3)
  const went: number[] = []
  const perTurn: number[] = []
  const go = async (number: number): Promise<void> => {
    const turn = queue.enter()
    if (turn) await turn
    went.push(number)
  }
  const crowd = Array.from({ length: 10 }, (_, number) => go(number))
  expect(went).toEqual([0, 1, 2])
  for (let before = 0; before < 10; before = went.length) {
    perTurn.push(went.length - before)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all(crowd)
  expect(perTurn.every((count) => count <= 3)).toBe(true)
  expect(went).toEqual(Array.from({ length: 10 }, (_, number) => number))
  await new Promise((resolve) => setImmediate(resolve))
  expect(queue.enter()).toBeUndefined()
})
