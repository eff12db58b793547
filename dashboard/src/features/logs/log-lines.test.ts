import { expect, test } from 'vitest'
import { LogLines } from './log-lines.ts'

const line = (number: number) => ({
  number,
  timestamp: number,
  level: 'info' as const,
  context: 'iris',
  message: `line ${number}`,
  ids: {},
})
const lines = (first: number, count: number) => Array.from({ length: count }, (_, index) => line(first + index))

test('a pause shows nothing new, counts it, and loses none of it', () => {
  const log = new LogLines()
  log.add(lines(1, 2), 0)
  log.pause()
  log.add(lines(3, 3), 0)
  expect(log.state).toMatchObject({ isPaused: true, fresh: 3, lines: lines(1, 2) })
  log.resume()
  expect(log.state).toEqual({ isPaused: false, fresh: 0, missed: 0, lines: lines(1, 5) })
})

test('ten thousand lines are kept, the newest, and what was missed is counted', () => {
  const log = new LogLines()
  log.add(lines(1, 9000), 0)
  log.add(lines(9001, 2000), 7)
  expect(log.state.lines).toHaveLength(10_000)
  expect(log.state.lines.at(-1)).toEqual(line(11_000))
  expect(log.state.missed).toBe(7)
})
