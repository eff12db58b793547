import { expect, test } from 'vitest'
import { localTime } from '../../../app/cli/moment.ts'
import { callbackLines } from './callbacks.ts'

test('the list says when the next event is tried, where one waits for a time', () => {
  const common = { callback: 'ci', host: 'ci.example', events: [], include: 'status' as const, isFailing: false }
  const counts = { waiting: 1, failed: 0, dropped: 0 }
  const lines = (more: object) => callbackLines({ callbacks: [{ ...common, ...counts, ...more }] }, 200).join('\n')
  expect(lines({ nextTryAt: 5000 })).toContain(`next try ${localTime(5000)}`)
  expect(lines({})).not.toContain('next try')
})
