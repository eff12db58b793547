import { expect, test } from 'vitest'
import { clusterLines } from './cluster.ts'

type Status = Parameters<typeof clusterLines>[0]

const studio = { name: 'studio', state: 'awake', version: '0.1.0', seenAt: 0, teams: [], newIn: [], signs: true }
const status = {
  self: 'laptop',
  drained: false,
  link: { state: 'connected' },
  hosts: [],
  refused: [],
  lostRecords: [],
  moves: [],
  timestamp: 0,
} as unknown as Status

test('the status names conversations of which the servers have lost records, and hosts that may begin a message again', () => {
  const lost = { at: 0, team: 'backend', from: 'frontend@laptop', thread: 'main', was: 57 }
  const hosts = [
    { ...studio, waiting: 0, answering: 0, drained: false, readsKnown: false },
  ] as unknown as Status['hosts']
  const lines = clusterLines({
    ...status,
    hosts,
    lostRecords: [
      { ...lost, is: 50 },
      { ...lost, is: 0 },
    ],
  })
  expect(lines).toEqual(
    expect.arrayContaining([
      'Lost: records of frontend@laptop to backend (main), found 1970-01-01T00:00:00.000Z: the log had ended at 57, and ended at 50.',
      'Lost: records of frontend@laptop to backend (main), found 1970-01-01T00:00:00.000Z: the log had ended at 57, and was empty.',
      '  upgrade   its Iris may run a message again if the servers have lost its records',
    ]),
  )
})
