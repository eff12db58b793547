import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { ChannelLink, type ChannelLinkParts } from './channel-link.ts'
import type { ChatClick, ChatInbox } from './chat-platform.ts'

/** A link to a platform that gives its inbox out, and listens until it is to end. */
function linkTo(channels: object, logged: string[], atEnd: (inbox: ChatInbox) => void = () => {}) {
  const { promise: inbox, resolve } = Promise.withResolvers<ChatInbox>()
  const log = (message: string): void => void logged.push(message)
  const listen = async (given: ChatInbox, signal: AbortSignal): Promise<void> => {
    resolve(given)
    await new Promise<void>((end) => signal.addEventListener('abort', () => end()))
    atEnd(given)
  }
  const parts = {
    channel: { name: 'shop' },
    clock: new FakeClock(),
    log: { error: log, warn: log },
    adapter: { listen },
  }
  const around = { catchUp: () => {}, disconnect: () => {}, ...channels }
  return { inbox, link: new ChannelLink({ ...parts, channels: around } as unknown as ChannelLinkParts) }
}

test('an end that was wanted is no lost connection in the log', async () => {
  const logged: string[] = []
  const { link } = linkTo({}, logged, (given) => given.set({ state: 'retrying', why: 'the connection was lost' }))
  await link.end()
  expect([logged, link.state.state]).toEqual([[], 'connecting'])
})

test('a click that cannot be taken is answered in words, and logged', async () => {
  const logged: string[] = []
  const click = (): string => {
    throw new Error('disk I/O error')
  }
  const { inbox, link } = linkTo({ click }, logged)
  expect((await inbox).click({} as ChatClick)).toContain('Click again')
  expect(logged).toEqual([expect.stringContaining('disk I/O error')])
  await link.end()
})
