import { expect, test } from 'vitest'
import { type ForgettableParts, forgettable } from './forgettable.ts'
import type { KnownHost } from './known-host.ts'

test('of the hosts that cannot be reached, those that something here needs stay', () => {
  const names = ['attic', 'gone', 'invited', 'sharing', 'there', 'waiting']
  const parts = {
    config: () => ({ teams: new Map([['backend', { name: 'backend', hosts: ['laptop', 'sharing', 'there'] }]]) }),
    hosts: {
      all: () => names.map((name) => ({ name })),
      isUnreachable: ({ name }: KnownHost) => name !== 'there',
      withoutRoom: ['forged'],
    },
    invited: new Set(['invited', 'there']),
    isInUse: (host: string) => host === 'waiting',
  }
  expect(forgettable(parts as unknown as ForgettableParts)).toEqual({
    hosts: ['attic', 'forged', 'gone'],
    kept: [
      { host: 'invited', why: 'it was invited' },
      { host: 'sharing', why: 'it shares the team backend' },
      { host: 'waiting', why: 'its messages, or messages to it, are not answered yet' },
    ],
  })
})
