import { expect, test } from 'vitest'
import { brokenAccounts } from './broken.ts'

test('an account over its limit says until when, whose messages wait, and what to do', () => {
  const account = { teams: ['here', 'one'], windows: [] }
  expect(brokenAccounts([account] as never)).toEqual([])
  expect(brokenAccounts([{ ...account, limited: { until: 5000, window: 'five_hour' } }] as never)).toEqual([
    {
      kind: 'account',
      teams: ['here', 'one'],
      until: 5000,
      what: 'The account of here, one is over its five-hour limit.',
      remedy: expect.stringMatching(/^[A-Z].*\.$/),
    },
  ])
})
