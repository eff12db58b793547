import { expect, test } from 'vitest'
import { brokenChannels } from './broken.ts'

type Config = Parameters<typeof brokenChannels>[0]

function found(state: 'connected' | 'retrying' | 'refused') {
  const channels = new Map([['tg', { name: 'tg', team: 'here' }]])
  const stateOf = () => ({ state, why: '/home/me/token is missing' })
  return brokenChannels({ channels } as unknown as Config, stateOf)
}

test('a channel that comes back by itself is not broken; one that is refused says what to do', () => {
  expect(found('connected')).toEqual([])
  expect(found('retrying')).toEqual([])
  expect(found('refused')).toEqual([
    {
      kind: 'channel',
      teams: ['here'],
      what: 'The channel tg needs setup.',
      remedy: expect.stringMatching(/^[A-Z].*\.$/),
    },
  ])
})
