import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { RecentLog } from './recent-log.ts'

test('a ring keeps the newest, in their order', () => {
  const ring = new RecentLog(new FakeClock(), 3)
  const messages = () => ring.entries().map(({ message }) => message)
  for (const message of ['1', '2']) ring.add({ level: 'info', context: 'iris', message, ids: {} })
  expect(messages()).toEqual(['1', '2'])
  for (const message of ['3', '4', '5', '6', '7']) ring.add({ level: 'info', context: 'iris', message, ids: {} })
  expect(messages()).toEqual(['5', '6', '7'])
})
