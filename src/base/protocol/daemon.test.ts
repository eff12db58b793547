import { expect, test } from 'vitest'
import { daemonFileIn } from './daemon.ts'

const whole = { port: 1615, pid: 4711, startedAt: 1, version: '1.0.0' }

test('the file of a running daemon names its process', () => {
  expect(daemonFileIn(JSON.stringify(whole))).toEqual(whole)
})

const unusable = [0, -1, -4711, 'x', undefined]

test.each(unusable)('a file that names process %s, which no signal may go to, is no such file', (pid) => {
  expect(daemonFileIn(JSON.stringify({ ...whole, pid }))).toBeUndefined()
})
