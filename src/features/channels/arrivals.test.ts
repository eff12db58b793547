import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Arrivals } from './arrivals.ts'
import type { ChatMessage } from './chat-message.ts'
import { UnreadChats } from './unread-chats.ts'

/** A message that the platform delivers, and the reading of the chats, whose step the test ends. */
function arriving() {
  const [arrivals, stored] = [new Arrivals(), [] as string[]]
  const [steps, read] = [[] as (() => void)[], [] as string[]]
  const arrive = (channelId: string, text: string) =>
    arrivals.add({ channelId, text } as ChatMessage, async () => {
      stored.push(`${channelId} ${text}`)
      return true
    })
  const begin = (...names: readonly string[]): UnreadChats<string> => {
    const chats = new UnreadChats<string>()
    for (const name of names) chats.add(name, name)
    arrivals.read({ waits: ({ channelId }) => chats.want(channelId) }, async () => {
      for (const chat of chats) {
        arrivals.release()
        read.push(chat)
        await new Promise<void>((resolve) => steps.push(resolve))
      }
    })
    return chats
  }
  const chatIsRead = async (): Promise<void> => {
    await setImmediate()
    steps.shift()!()
    await setImmediate()
  }
  return { arrivals, stored, read, arrive, begin, chatIsRead }
}

test('a message waits for the older ones of its chat, and for no other chat', async () => {
  const { stored, read, arrive, begin, chatIsRead } = arriving()
  const chats = begin('A', 'B', 'C', 'D')
  await arrive('E', 'first')
  const last = [arrive('D', 'first'), arrive('D', 'second')]
  const current = arrive('A', 'first')
  await chatIsRead()
  await current
  const passed = arrive('A', 'second')
  await passed
  expect([stored, read]).toEqual([
    ['E first', 'A first', 'A second'],
    ['A', 'D'],
  ])
  await chatIsRead()
  await Promise.all(last)
  expect(stored.slice(3)).toEqual(['D first', 'D second'])
  expect(chats.counts).toEqual({ read: 2, of: 4 })
})

test('after a lost connection all messages wait for the next reading: it finds what was missed in chats that were read', async () => {
  const { stored, read, arrive, begin, chatIsRead } = arriving()
  begin('A', 'B')
  await chatIsRead()
  begin('A')
  const waiting = arrive('A', 'after the gap')
  await chatIsRead()
  expect([stored, read]).toEqual([[], ['A', 'B', 'A']])
  await chatIsRead()
  await waiting
  expect(stored).toEqual(['A after the gap'])
})

test('of a thousand that wait, no more are taken, and the end of the reading takes them all', async () => {
  const { arrivals, stored, arrive, begin, chatIsRead } = arriving()
  begin('A')
  await setImmediate()
  const waiting = Array.from({ length: 1000 }, (_, each) => arrive('A', String(each)))
  expect(await arrive('A', 'too many')).toBe(false)
  await chatIsRead()
  expect(await Promise.all(waiting)).not.toContain(false)
  await arrivals.end()
  expect(stored).toEqual(Array.from({ length: 1000 }, (_, each) => `A ${each}`))
})
