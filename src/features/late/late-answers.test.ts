import { expect, test } from 'vitest'
import { systemClock } from '../../base/lib/clock.ts'
import { Subject } from '../../base/lib/subject.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import { LateAnswers } from './late-answers.ts'
import type { LateAnswerRows } from './rows.ts'

test('a store that fails at the end of a turn fails the call of the bridge that waits, and no handler of the event', async () => {
  const events = new Subject<IrisEvent>()
  let isLocked = false
  const look = () => {
    if (isLocked) throw new Error('database is locked')
    return []
  }
  const rows = { consoles: () => ['console'], endedOf: look, unreadBy: look } as unknown as LateAnswerRows
  const answers = new LateAnswers({ rows, clock: systemClock, events })
  const waits = answers.ready('console', new AbortController().signal)
  isLocked = true
  events.next({ type: 'turn-settled', turnId: 'one' } as IrisEvent)
  await expect(waits).rejects.toThrow('database is locked')
})

test('a bridge waits on while all that its session has to read was pushed before', async () => {
  const events = new Subject<IrisEvent>()
  const row = { turn: 'one', pushedAt: null as number | null }
  const rows = { consoles: () => ['console'], endedOf: () => [row] } as unknown as LateAnswerRows
  const answers = new LateAnswers({ rows, clock: systemClock, events })
  await answers.ready('console', new AbortController().signal)
  row.pushedAt = 1
  let isReady = false
  const over = new AbortController()
  const waits = answers.ready('console', over.signal).then(() => {
    isReady = true
  })
  events.next({ type: 'turn-settled', turnId: 'one' } as IrisEvent)
  await new Promise((resolve) => setImmediate(resolve))
  expect(isReady).toBe(false)
  over.abort()
  await waits
})
