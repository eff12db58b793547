import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { Secrets } from '../../base/lib/secrets.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import { Publisher } from './publisher.ts'

test('lines of the CLI reach only those who want everything, numbered with the other events', () => {
  const { events, everything$, publish } = new Publisher(new FakeClock(), new Secrets())
  const [few, all]: [string[], string[]] = [[], []]
  events.subscribe(({ type, sequence }) => few.push(`${sequence} ${type}`))
  everything$.subscribe({
    next: ({ type, sequence }) => all.push(`${sequence} ${type}`),
    complete: () => all.push('end'),
  })
  const leaves = everything$.subscribe(() => all.push('left'))
  leaves.unsubscribe()
  for (const type of ['turn-accepted', 'turn-message', 'turn-settled']) publish({ type } as IrisEvent)
  events.complete()
  publish({ type: 'turn-message' } as IrisEvent)
  expect(few).toEqual(['1 turn-accepted', '3 turn-settled'])
  expect(all).toEqual(['1 turn-accepted', '2 turn-message', '3 turn-settled', 'end'])
})
