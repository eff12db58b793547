import { Subject } from 'rxjs'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import type { PublishedEvent } from '../../../base/protocol/event.ts'
import { EventLog } from './event-log.ts'

const publishedRows = { upTo: 0, covers: () => ({ row: undefined, upTo: 0 }) }
const pair = { from: 'external', to: 'backend', thread: 'main', sessionId: 's' }

test('the lines that the last reader left are dropped with the next line, and what else was kept stays', async () => {
  const events$ = new Subject<PublishedEvent>()
  const log = new EventLog({ events$, clock: new FakeClock(), liveTurns: () => [], publishedRows })
  const line = (sequence: number) => ({
    type: 'turn-message',
    turnId: 't',
    message: { type: 'assistant' },
    ...pair,
    sequence,
    at: 0,
  })
  const publish = (event: object): void => events$.next(event as unknown as PublishedEvent)
  const leave = log.join()
  publish({ type: 'turn-accepted', turnId: 't', parentTurnId: null, ...pair, sequence: 1, at: 0 })
  publish(line(2))
  leave()
  expect(log.since(0)?.map(({ event }) => event.type)).toEqual(['turn-accepted', 'turn-message'])
  publish(line(3))
  expect(log.since(0)?.map(({ event }) => event.type)).toEqual(['turn-accepted'])
})
