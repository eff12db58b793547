import { expect, test } from 'vitest'
import { readMessage } from './read-message.ts'
import type { TelegramMessage } from './telegram-message.ts'

const me = { id: 1, username: 'Shop_bot' }

function read(text: string, entities: TelegramMessage['entities']) {
  const chat = { id: -100, type: 'supergroup' }
  const from = { id: 42, is_bot: false, first_name: 'Ada' }
  return readMessage(7, { message_id: 3, date: 1, chat, from, text, entities }, me)
}

test('a group calls the bot by its name, by a mention without a name, and by a command that names it', () => {
  const isAddressed = (text: string, entity: object) =>
    read(text, [{ type: 'mention', offset: 0, length: text.indexOf(' '), ...entity }])?.isAddressed
  expect(isAddressed('@shop_bot hello', {})).toBe(true)
  expect(isAddressed('@other_bot hello', {})).toBe(false)
  expect(isAddressed('Shop hello', { type: 'text_mention', user: { id: 1 } })).toBe(true)
  expect(isAddressed('Bob hello', { type: 'text_mention', user: { id: 43 } })).toBe(false)
  expect(isAddressed('/ask@shop_bot hello', { type: 'bot_command' })).toBe(true)
})

test('a command for another bot is none for this one, also where every message counts', () => {
  const command = (text: string) => read(text, [{ type: 'bot_command', offset: 0, length: text.length }])
  expect(command('/new@other_bot')).toBeUndefined()
  expect(command('/new@shop_bot')?.text).toBe('/new@shop_bot')
  expect(command('/new')?.text).toBe('/new')
})
