import { expect, test } from 'vitest'
import { nameIn } from '../ui/use-asker-names.ts'
import { askerName, pairTitle, threadParts, threadWords } from './asker.ts'

test.each([
  ['external', 'you'],
  ['frontend', 'frontend'],
  ['backend@studio', 'backend@studio'],
  ['telegram:42', 'Telegram 42'],
  ['slack:T1/C2', 'Slack T1/C2'],
  ['viewer:owner', 'you (chat)'],
  ['viewer:anna', 'anna (chat)'],
  ['forward:hooks.example.org', 'hooks.example.org'],
])('%s is called %s', (asker, name) => expect(askerName(asker)).toBe(name))

test('a person in a chat has the name that the channel knows', () => {
  const eve = { sender: '42', name: 'Eve', since: 1 }
  const file = { sender: '43', name: '43', since: 0 }
  const channels = [{ platform: 'telegram', allowed: [file], pending: [eve] }]
  expect(['telegram:42', 'telegram:43', 'slack:42', 'frontend'].map((asker) => nameIn(channels, asker))).toEqual([
    'Eve',
    undefined,
    undefined,
    undefined,
  ])
})

test('a role is no part of the name of a thread', () => {
  expect(threadParts('main')).toEqual({ name: undefined, role: undefined })
  expect(threadParts('role:chat_bot')).toEqual({ name: undefined, role: 'chat_bot' })
  expect(threadParts('role:chat_bot:prices')).toEqual({ name: 'prices', role: 'chat_bot' })
  expect(threadWords('role:chat_bot:prices')).toBe('thread prices, role chat_bot')
  expect(pairTitle({ from: 'telegram:42', to: 'backend', thread: 'role:chat_bot' })).toBe(
    'Telegram 42 → backend (role chat_bot)',
  )
})
