import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { ChannelLink, type ChannelLinkParts } from './channel-link.ts'
import type { ChatClick, ChatInbox } from './chat-platform.ts'

test('a click that cannot be taken is answered in words, and logged', async () => {
  const { promise: inbox, resolve } = Promise.withResolvers<ChatInbox>()
  const logged: string[] = []
  const link = new ChannelLink({
    channel: { name: 'shop' },
    clock: new FakeClock(),
    log: { error: (message: string) => void logged.push(message) },
    adapter: {
      listen: (given: ChatInbox, signal: AbortSignal) => {
        resolve(given)
        return new Promise<void>((end) => signal.addEventListener('abort', () => end()))
      },
    },
    channels: {
      click: () => {
        throw new Error('disk I/O error')
      },
      catchUp: () => {},
      disconnect: () => {},
    },
  } as unknown as ChannelLinkParts)
  expect((await inbox).click({} as ChatClick)).toContain('Click again')
  expect(logged).toEqual([expect.stringContaining('disk I/O error')])
  await link.end()
})
